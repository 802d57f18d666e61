// A chain of N rotating masses with the ideal clutch of E22, Figure 9, between neighbours. A scalable model of our own:
// clutch k engages at time k, and a run of engaged clutches is one block, however long.
model ClutchChain
  parameter Integer N = 4;
  parameter Real J = 1;
  Real w[N](start = 1:N, each fixed = true) "angular velocities";
  Real f[N - 1] "torques in the clutches";
  Boolean engaged[N - 1];
equation
  /* first: */ J*der(w[1]) = -f[1];
  for k in 2:N - 1 loop
    /* mass[k]: */ J*der(w[k]) = f[k - 1] - f[k];
  end for;
  /* last: */ J*der(w[N]) = f[N - 1];
  for k in 1:N - 1 loop
    engaged[k] = (time >= k);
    if engaged[k] then
      /* rigid[k]: */ w[k] = w[k + 1];
    else
      /* free[k]: */ f[k] = 0;
    end if;
  end for;
  annotation (experiment(StopTime = 5));
end ClutchChain;

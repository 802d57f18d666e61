// Once went wrong: papers/BallLaw.
model BallLaw "bouncing ball, E22 8.4 style: if not gamma then 0 = f; when gamma then law"
  Real h(start=1,fixed=true); Real v(start=0,fixed=true); Real f; Boolean gamma(start=false,fixed=true);
equation
  der(h) = v; der(v) = -9.81 + f;
  gamma = pre(h) <= 0 and pre(v) < 0;
  if not gamma then 0 = f; end if;
  when gamma then v = -0.8*pre(v); end when;
  annotation(experiment(StopTime=1));
end BallLaw;

// Once went wrong: papers/ExpOnly.
model ExpOnly "impulsive variable only in outputs"
  Real w1(start=1,fixed=true); Real w2(start=1.5,fixed=true); Real f1; Real f2; Real h; 
  Boolean g(start=false);
equation
  g = time >= 5;
  /* e1: */ der(w1) = -0.01*w1 + f1;
  /* e2: */ 2*der(w2) = -0.0125*w2 + f2;
  /* e3: */ 0 = if g then w1-w2 else f1;
  /* e4: */ f1 + f2 = 0;
  /* eh: */ h = exp(f2);


  annotation(experiment(StopTime=10));
end ExpOnly;

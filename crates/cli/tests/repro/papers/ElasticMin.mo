// Once went wrong: papers/ElasticMin.
model ElasticMin "E22 8.4, s given always, k1 absent"
  constant Real g = 9.81; constant Real L = 1.0; parameter Real alpha = 0.8;
  Real x(start=0,fixed=true); Real y(start=0,fixed=true);
  Real u(start=0,fixed=true); Real v(start=0,fixed=true);
  Real lambda; Real s; Boolean gamma(start=false,fixed=true);
equation
  der(x)=u; der(y)=v;
  /* e1: */ der(u)+lambda*x=0;
  /* e2: */ der(v)+lambda*y+g=0;
  gamma = (pre(s) <= 0);
  when gamma then
    /* tau1: */ v = -alpha*pre(v);
  end when;
  if not gamma then
    /* k3: */ 0 = lambda;
  end if;
  /* k4: */ 0 = (L^2-(x^2+y^2)) - s;
  annotation(experiment(StopTime=1));
end ElasticMin;

model BuckDCM "buck converter in discontinuous conduction, ideal switch and diode"
  parameter Real V=10, L=1e-5, C=1e-4, R=10, T=1e-5, D=0.3;
  Real i(start=0,fixed=true), vc(start=0,fixed=true), vx, isw, id, s;
  Boolean sw, on(start=false);
equation
  sw = mod(time, T) < D*T;
  L*der(i) = vx - vc;
  C*der(vc) = i - vc/R;
  i = isw + id;
  0 = if sw then vx - V else isw;
  on = s > 0;
  0 = if on then vx else id;
  s = if on then id else -vx;
end BuckDCM;

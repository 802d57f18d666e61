model FastGuard10
  Real x(start=0,fixed=true);
  Boolean on;
equation
  on = sin(2*3.141592653589793*50*time) > 0.9;
  der(x) = if on then 1 else 0;
end FastGuard10;

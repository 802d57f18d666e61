model ScaleMemory "a transient of 1e8 at the start has died away when the comparator works at amplitude 5"
  Real a(start=1e8,fixed=true), y, x(start=0,fixed=true);
  Boolean up;
equation
  der(a) = -5*a;
  y = a + 5*sin(time);
  up = y > 0;
  der(x) = if up then 1 else -1;
end ScaleMemory;

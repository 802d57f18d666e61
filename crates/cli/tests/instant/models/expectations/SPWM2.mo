model SPWM2 "sine-triangle modulation with smooth carrier asin(sin), RL load"
  parameter Real fc=1000, f=50;
  Real car, ref, i(start=0,fixed=true);
  Boolean s;
equation
  car = 2/3.141592653589793*asin(sin(2*3.141592653589793*fc*time));
  ref = 0.8*sin(2*3.141592653589793*f*time);
  s = ref > car;
  0.01*der(i) = (if s then 100 else -100) - 1*i;
end SPWM2;

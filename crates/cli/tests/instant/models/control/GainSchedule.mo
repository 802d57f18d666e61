model GainSchedule "gains change with the region of the state; the plant is nonlinear"
  parameter Real tau = 1;
  Real x(start = 2, fixed = true);
  Real k;
equation
  k = if x > 1 then 0.5 else if x > 0.3 then 0.8 else 1.5;
  der(x) = (-k*x - 0.3*x^3 + 0.4*sin(time/tau))/tau;
end GainSchedule;

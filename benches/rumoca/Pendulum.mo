// A pendulum in Cartesian coordinates, of index 3.
model Pendulum
  Real x(start = 0.8, fixed = true);
  Real y(start = -0.6);
  Real vx(start = 0, fixed = true);
  Real vy;
  Real tension;
equation
  x^2 + y^2 = 1;
  der(x) = vx;
  der(y) = vy;
  der(vx) = -tension*x;
  der(vy) = -tension*y - 9.81;
end Pendulum;

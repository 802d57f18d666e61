// Once went wrong: trust/m16_discrete_in_equation.
model Counter
  discrete Real n(start = 0, fixed = true);
  Integer k(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  n = x + 1;
  k = 2.5*x;
end Counter;

model DerivativeInWhen "a derivative in a clause is the right limit of what the step solves"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true);
  Boolean back;
equation
  back = time >= tau;
  tau*der(x) = if back then -2*u else u;
  when back then
    a = tau*der(x);
    b = x;
  end when;
end DerivativeInWhen;

model DeltaSigma "a delta-sigma modulator of first order"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real bit(start = 1, fixed = true);
  Integer ones(start = 0, fixed = true);
equation
  der(x) = (0.37*u*cos(0.3*time/tau) - bit*u)/tau;
  when sample(0.1*tau, 0.1*tau) then
    bit = if x > 0 then 1 else -1;
    ones = if x > 0 then pre(ones) + 1 else pre(ones);
  end when;
end DeltaSigma;

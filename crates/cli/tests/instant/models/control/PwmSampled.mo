model PwmSampled "pulse width modulation by sample: a regulator sets the length of the next pulse"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real width(start = 0, fixed = true), begin(start = 0, fixed = true);
  Boolean on(start = false, fixed = true);
equation
  when sample(0, 0.4*tau) then
    width = max(0, min(0.38, 0.1 + 0.5*(1 - x/u)))*tau;
    begin = time;
  end when;
  on = time < begin + width;
  der(x) = ((if on then 2*u else 0) - x)/tau;
end PwmSampled;

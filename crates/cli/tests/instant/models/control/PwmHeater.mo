model PwmHeater "pulse width modulation by a sawtooth of time"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Boolean on;
equation
  on = mod(time, 0.5*tau) < 0.5*tau*(0.3 + 0.05*time/tau);
  der(x) = ((if on then u else 0) - x)/tau;
end PwmHeater;

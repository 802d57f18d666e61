model HoldZeroOrder "sample and hold of a sine, integrated"
  parameter Real u = 1, tau = 1;
  discrete Real h(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
equation
  when sample(0, 0.25*tau) then
    h = u*sin(time/tau);
  end when;
  der(y) = h/tau;
end HoldZeroOrder;

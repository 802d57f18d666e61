model TippingBucket "a rain gauge: the bucket tips and is empty at once"
  parameter Real u = 1, tau = 1;
  Real m(start = 0, fixed = true);
  Integer tips(start = 0, fixed = true);
  discrete Real last(start = 0, fixed = true);
equation
  der(m) = u*(1 + 0.8*sin(time/tau))/tau;
  when m >= 0.75*u then
    reinit(m, 0);
    tips = pre(tips) + 1;
    last = time;
  end when;
end TippingBucket;

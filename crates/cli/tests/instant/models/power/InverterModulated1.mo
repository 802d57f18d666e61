model InverterModulated1 "inverter with sine-triangle modulation, 1 legs"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, va0, vm0;
  Real iV1;
  Real iV2;
  Real iH0;
  Boolean onH0;
  Real iG0;
  Boolean onG0;
  Real iL0(start = 0.0*u, fixed = true);
  Real iR0;
equation
  v1 = 50.0*u;
  0 - v2 = 50.0*u;
  onH0 = 0.8*sin(0.3141592653589793/tau*time + 0.0) > 2/3.141592653589793*asin(sin(2.827433388230814/tau*time + 0.3));
  0 = if onH0 then v1 - va0 else iH0;
  onG0 = not (0.8*sin(0.3141592653589793/tau*time + 0.0) > 2/3.141592653589793*asin(sin(2.827433388230814/tau*time + 0.3)));
  0 = if onG0 then va0 - v2 else iG0;
  8.0*tau*der(iL0) = va0 - vm0;
  vm0 = 3.0*iR0;
  0 = iV1 + iH0;
  0 = -iV2 - iG0;
  0 = -iH0 + iG0 + iL0;
  0 = -iL0 + iR0;
end InverterModulated1;

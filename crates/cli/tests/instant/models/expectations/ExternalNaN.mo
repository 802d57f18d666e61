model ExternalNaN "an external C function that is not known: must be refused, as it is in a continuous equation"
  function g input Real u; output Real y; external "C" y = my_unknown(u); end g;
  discrete Real d(start=0,fixed=true); Real x(start=0,fixed=true);
equation
  der(x) = if d > 0.5 then 2 else 1;
  when sample(0.5, 1) then d = g(x); end when;
end ExternalNaN;

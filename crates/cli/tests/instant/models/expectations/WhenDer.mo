model WhenDer "der(x) in a when body: right limit of the derivative: a=-1 after the switch"
  Real x(start=0,fixed=true); discrete Real a(start=0,fixed=true); Boolean m;
equation
  m = time >= 1;
  der(x) = if m then -1 else 1;
  when m then a = der(x); end when;
end WhenDer;

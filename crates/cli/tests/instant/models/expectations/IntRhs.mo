model IntRhs "an Integer alone on one side of a continuous equation"
  Real x(start=0,fixed=true), y(start=0,fixed=true); Integer k;
equation
  der(x) = 2.5;
  k = integer(x);
  der(y) = k;
end IntRhs;

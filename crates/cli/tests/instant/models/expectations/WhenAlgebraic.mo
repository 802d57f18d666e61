model WhenAlgebraic "a when equation uses an algebraic variable that another when of the same instant changes: d = 2*k"
  Real x; discrete Real d(start=0,fixed=true); Integer k(start=0,fixed=true);
equation
  when sample(0, 0.25) then
    k = pre(k) + 1;
  end when;
  x = 2*k;
  when sample(0, 0.25) then
    d = x;
  end when;
end WhenAlgebraic;

// Every construct of the language once; seed of the mutation test.
within Modeshift.Test;
encapsulated partial package Features "everything " + "once"
  import A.B.C;
  import D = A.B;
  import A.{B, C};
  import A.B.*;
  type Color = enumeration(red "first", green, blue);
  type Open = enumeration(:);
  connector RealInput = input Real[3](each unit = "m") annotation(Icon(graphics = {Line(points = {{0, 0}, {1, 1}})}));
  function derivative = der(f, x, y);
  operator record Complex
    Real re;
    operator '+' function add input Complex a; output Complex c; algorithm c := a; end add; end '+';
  end Complex;
  replaceable model Base = Other(x = 1) constrainedby Third(y = 2) "constraint";
  impure function g
    input Real x[:, 2] = [1, 2; 3, 4];
    output Real y;
  protected
    Integer k;
  external "C" y = c_g(x, size(x, 1)) annotation(Library = "g", Include = "#include <g.h>");
  end g;
  model extends Inherited(redeclare replaceable Sine s(f = 5), break c, break connect(a.b, c))
    parameter Real 'quoted name'(start = 1, fixed = true) = 3.e-2 if use and not other "text";
    flow Real i; stream Real h; discrete Integer k(final min = 0);
    inner outer World world;
    if not open then
      protected Real v;
    elseif short then
      Real j;
    else
      parameter Real l = .5;
    end if;
  initial equation
    x = x0;
  equation
    /* e1: */ der(x) = -a * b ^ 2 + c ./ d - (if p then 1 elseif q then 2 else 3);
    /* cpl[k].u: */ (u, , v) = f(1, y = 2, function h(z = 3));
    connect(a.p[1], b.n) annotation(Line(points = {{1, 2}}));
    if a >= 1 and not b <> c or initial() then x = 1; y = 2; elseif d then x = 2; else end if;
    for i in 1:2:n, j loop x[i, end] = sum(y[k] for k in 1:i); end for;
    when {sample(0, 1), edge(b)} then reinit(x, pre(x)); elsewhen c then k = {i for i in 1:3}; end when;
    assert(x > 0, "negative \"x\"", level = AssertionLevel.warning);
    invariant not (bh and bl);
  algorithm
    for i loop x[i] := .A.b.c[1].d; if i > 2 then break; end if; end for;
    while x < 1 loop x := x + 1; end while;
    (a, , b) := f(pure(g(x)));
    when time >= 1 then y := last(x); end when;
    return;
    annotation(experiment(StopTime = 2), Documentation(info = "<html>
two lines</html>"));
  end Inherited;
end Features;

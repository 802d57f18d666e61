// A little of everything, as raw material for mutations.
package Mixture
  constant Real pi = 3.14159;
  type Mode = enumeration(off, on);
  record Pair
    Real a;
    Real b = 2;
  end Pair;
  function polynomial
    input Real x;
    input Real c[:];
    output Real y;
  algorithm
    y := 0;
    for k in size(c, 1):-1:1 loop
      y := y*x + c[k];
    end for;
  end polynomial;
  partial block Single
    input Real u;
    output Real y;
  end Single;
  block Gain
    extends Single;
    parameter Real k = 1;
  equation
    y = k*u;
  end Gain;
  model Everything
    parameter Integer n = 3;
    parameter Pair pair = Pair(1, b = pi);
    parameter Mode mode = Mode.on;
    Real x[n](each start = 1);
    Real p = polynomial(time, {1, 2, 3});
    Integer count(start = 0);
    Boolean high = x[1] > 2;
    replaceable Gain gain(k = pair.a) if n > 2;
    Gain more[2](k = {1, 2}, u = {p, x[end]});
  equation
    for i in 1:n loop
      if high and mode == Mode.on then
        der(x[i]) = -x[i];
      else
        x[i] = i*time + sum(j for j in 1:i);
      end if;
    end for;
    gain.u = max(x) + min({p, pair.b});
    when {high, sample(0, 0.1)} then
      count = pre(count) + 1;
    elsewhen time > 3 then
      reinit(x[1], 0);
    end when;
    assert(p < 1e6, "large " + String(p));
  initial equation
    x[2] = 1;
  end Everything;
end Mixture;

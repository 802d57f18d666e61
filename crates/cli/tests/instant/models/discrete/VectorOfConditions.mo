model VectorOfConditions "a condition that stays true does not hide the edge of another one"
  parameter Real tau = 1;
  Integer n(start = 0, fixed = true);
equation
  when {time > tau, mod(time, 2*tau) > 1.5*tau} then
    n = pre(n) + 1;
  end when;
end VectorOfConditions;

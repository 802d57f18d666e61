// An RLC ladder, driven by a sine at one end and closed by a resistor at the other.
model Ladder
  parameter Integer n = 100;
  parameter Real R = 0.1;
  parameter Real L = 1e-2;
  parameter Real C = 1e-2;
  Real i[n](each start = 0, each fixed = true);
  Real v[n](each start = 0, each fixed = true);
equation
  L*der(i[1]) = sin(10*time) - R*i[1] - v[1];
  for k in 2:n loop
    L*der(i[k]) = v[k - 1] - R*i[k] - v[k];
  end for;
  for k in 1:n - 1 loop
    C*der(v[k]) = i[k] - i[k + 1];
  end for;
  C*der(v[n]) = i[n] - v[n];
end Ladder;

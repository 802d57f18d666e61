// Once went wrong: trust/note_implicit_false.
model C "trip depends on E, E on surge, surge on time: nothing is implicit"
  Real E, v, i;
  Boolean surge, trip(start = false);
equation
  surge = time >= 1;
  E = if surge then 12 else 6;
  v = E - 0.5*i;
  0 = if trip then v else i - v/10;
  trip = E > 8;
end C;

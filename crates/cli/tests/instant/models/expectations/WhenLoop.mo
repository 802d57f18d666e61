model WhenLoop "a when equation and a continuous equation determine x and y together: x = 2 + time, y = 3 - time at each sample"
  Real x, y;
equation
  when sample(0, 0.2) then
    y = 7 - 2*x + time;
  end when;
  x + y = 5;
end WhenLoop;

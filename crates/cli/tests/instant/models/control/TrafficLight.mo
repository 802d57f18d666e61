model TrafficLight "a state machine with times of stay"
  parameter Real tau = 1;
  Integer state(start = 1, fixed = true);
  discrete Real since(start = 0, fixed = true);
  Real stay, cars(start = 0, fixed = true);
equation
  stay = if pre(state) == 1 then 2*tau else if pre(state) == 2 then 0.5*tau else 1.5*tau;
  when time > pre(since) + stay then
    state = if pre(state) == 3 then 1 else pre(state) + 1;
    since = time;
  end when;
  der(cars) = (if state == 3 then 1 else 0)/tau;
end TrafficLight;

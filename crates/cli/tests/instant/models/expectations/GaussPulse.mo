model GaussPulse "narrow Gauss pulse of time as condition, 1e-3 of the run"
  Real y(start=0,fixed=true); Boolean p;
equation
  p = exp(-((time-5.0)/0.01)^2) > 0.5;
  der(y) = if p then 1 else 0;
end GaussPulse;

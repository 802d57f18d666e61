model GearMeshes "a pair of gears of ratio 2 meshes while both shafts turn"
  parameter Real u = 1, tau = 1;
  Real w1(start = 3*u/tau, fixed = true);
  Real w2(start = 0, fixed = true);
  Real t;
  Boolean mesh;
equation
  mesh = time >= tau;
  der(w1) = 0.3*u/tau^2 - 0.2*w1/tau - t;
  4*der(w2) = 2*t - 0.5*w2/tau;
  0 = if mesh then w1 - 2*w2 else t;
end GearMeshes;

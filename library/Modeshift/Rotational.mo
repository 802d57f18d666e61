within Modeshift;
package Rotational "Shafts with ideal clutches, brakes and friction"
  connector Flange "The end of a shaft"
    Real phi(unit = "rad") "angle";
    flow Real tau(unit = "N.m") "torque into the element";
  end Flange;

  partial model TwoFlanges "Two flanges, and the torque that enters at a leaves at b"
    Flange a, b;
    Real tau(unit = "N.m") "torque from a to b";
  equation
    tau = a.tau;
    a.tau + b.tau = 0;
  end TwoFlanges;

  model Inertia "J der(w) = sum of torques"
    Flange a, b;
    parameter Real J(unit = "kg.m2") = 1;
    Real phi(unit = "rad");
    Real w(unit = "rad/s");
  equation
    a.phi = phi;
    b.phi = phi;
    der(phi) = w;
    J*der(w) = a.tau + b.tau;
  end Inertia;

  model Fixed "Does not turn"
    Flange a;
    parameter Real phi(unit = "rad") = 0;
  equation
    a.phi = phi;
  end Fixed;

  model ConstantTorque "Drives with a torque that does not change"
    Flange a;
    parameter Real tau(unit = "N.m") = 1;
  equation
    a.tau = -tau;
  end ConstantTorque;

  model SignalTorque "Drives with the torque that a signal says"
    Flange a;
    input Real u(unit = "N.m");
  equation
    a.tau = -u;
  end SignalTorque;

  model Spring "tau = c times the angle from b to a"
    extends TwoFlanges;
    parameter Real c(unit = "N.m/rad") = 1;
  equation
    tau = c*(a.phi - b.phi);
  end Spring;

  model Damper "tau = d times the speed from b to a"
    extends TwoFlanges;
    parameter Real d(unit = "N.m.s/rad") = 1;
  equation
    tau = d*(der(a.phi) - der(b.phi));
  end Damper;

  model Gear "a turns n times as fast as b"
    Flange a, b;
    parameter Real n = 1;
  equation
    a.phi = n*b.phi;
    n*a.tau + b.tau = 0;
  end Gear;

  model Free "Two ends that do not touch: no torque"
    extends TwoFlanges;
    Real w(unit = "rad/s") "speed of a, seen from b";
  equation
    w = der(a.phi) - der(b.phi);
    tau = 0;
  end Free;

  model Cut "Two ends that nothing relates any more: no torque"
    extends TwoFlanges;
  equation
    tau = 0;
  end Cut;

  model Together "Two ends that turn at the same speed"
    extends TwoFlanges;
  equation
    der(a.phi) = der(b.phi);
  end Together;

  model Rigid "Two ends at the same angle"
    extends TwoFlanges;
  equation
    a.phi = b.phi;
  end Rigid;

  model Clutch "Joins two shafts while a signal says so"
    Flange a, b;
    input Boolean engage;
    Free open;
    Together closed;
  equation
    initialState(open);
    transition(open, closed, engage);
    transition(closed, open, not engage);
    connect(a, open.a);
    connect(a, closed.a);
    connect(b, open.b);
    connect(b, closed.b);
    annotation (Documentation(info = "Ideal: engaging at different speeds makes both equal at once, with an impulse of torque, and momentum is kept."));
  end Clutch;

  model Brake "Stops a shaft while a signal says so"
    Flange a;
    input Boolean engage;
    Clutch clutch(engage = engage);
    Fixed housing;
  equation
    connect(a, clutch.a);
    connect(clutch.b, housing.a);
  end Brake;

  model OneWayClutch "a may turn faster backward than b, but not forward"
    Flange a, b;
    Free open "a is behind";
    Together closed "a drives b";
  equation
    initialState(open);
    transition(open, closed, open.w > 0);
    transition(closed, open, closed.tau < 0);
    connect(a, open.a);
    connect(a, closed.a);
    connect(b, open.b);
    connect(b, closed.b);
    annotation (Documentation(info = "A free wheel: it locks where a would overtake b, and lets go where it would have to pull back."));
  end OneWayClutch;

  model BreakingShaft "Rigid until its torque is too large, two free ends from then on"
    Flange a, b;
    parameter Real tauMax(unit = "N.m") = 1;
    Rigid intact;
    Cut broken;
  equation
    initialState(intact);
    transition(intact, broken, intact.tau > tauMax or intact.tau < -tauMax);
    connect(a, intact.a);
    connect(a, broken.a);
    connect(b, intact.b);
    connect(b, broken.b);
    annotation (Documentation(info = "MOE15, Figure 10. While it is intact two inertias at its ends are one."));
  end BreakingShaft;

  model Sliding "A torque against the motion, of one sign"
    extends TwoFlanges;
    parameter Real torque(unit = "N.m") = 0;
    Real w(unit = "rad/s") "speed of a, seen from b";
  equation
    w = der(a.phi) - der(b.phi);
    tau = torque;
  end Sliding;

  model CoulombFriction "Sticks, and slides where more than tauMax is needed to stick"
    Flange a, b;
    parameter Real tauMax(unit = "N.m") = 1;
    Together stuck;
    Sliding forward(torque = tauMax);
    Sliding backward(torque = -tauMax);
  equation
    initialState(stuck);
    transition(stuck, forward, stuck.tau > tauMax);
    transition(stuck, backward, stuck.tau < -tauMax);
    transition(forward, stuck, forward.w < 0);
    transition(backward, stuck, backward.w > 0);
    connect(a, stuck.a);
    connect(a, forward.a);
    connect(a, backward.a);
    connect(b, stuck.b);
    connect(b, forward.b);
    connect(b, backward.b);
    annotation (Documentation(info = "MOE15, Figure 11. It is left by the torque that sticking needs, not by a speed that is zero but for noise."));
  end CoulombFriction;
end Rotational;

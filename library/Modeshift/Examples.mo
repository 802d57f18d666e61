within Modeshift;
package Examples "One model for each element, with an answer that is known"
  import Modeshift.Electrical.*;
  import Modeshift.Rotational;
  import Modeshift.Translational;
  import Modeshift.Fluid;

  model BreakingCapacitor "MOE15, Figure 2: charged through R2 until C1 breaks at 8 V, at 0.05 ln 625 s or 0.3219 s"
    ConstantVoltage voltage(V = 10);
    Resistor R2(R = 100);
    Capacitor C2(C = 1e-3, v(start = 0, fixed = true));
    Capacitor C1(C = 1e-3);
    Resistor R1(R = 1);
    Ground ground;
  equation
    initialState(C1);
    transition(C1, R1, C1.v > 8);
    connect(voltage.p, R2.p);
    connect(R2.n, C2.p);
    connect(R2.n, C1.p);
    connect(R2.n, R1.p);
    connect(ground.p, R1.n);
    connect(ground.p, C1.n);
    connect(ground.p, C2.n);
    connect(ground.p, voltage.n);
    annotation (experiment(StopTime = 1));
  end BreakingCapacitor;

  model BreakingInductor "MOE15, Figure 4: the current goes on, the voltages jump to 500 V and -495 V"
    ConstantVoltage voltage(V = 10);
    Resistor R(R = 1);
    Inductor L1(L = 1);
    Resistor R1(R = 100);
    Inductor L2(L = 1, i(start = 0, fixed = true));
    Ground ground;
  equation
    initialState(L1);
    transition(L1, R1, L1.i > 5);
    connect(voltage.p, R.p);
    connect(R.n, L1.p);
    connect(R.n, R1.p);
    connect(L1.n, L2.p);
    connect(R1.n, L2.p);
    connect(L2.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 3));
  end BreakingInductor;

  model DiodeInductor "MOE15, Figure 7: an ideal diode in series with an inductor"
    SineVoltage voltage(V = 1, f = 1/(2*Modelica.Constants.pi));
    Resistor R(R = 1);
    Inductor L(L = 1, i(start = 0, fixed = true));
    IdealDiode diode(conducts = true);
    Ground ground;
  equation
    connect(voltage.p, R.p);
    connect(R.n, L.p);
    connect(L.n, diode.p);
    connect(diode.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 20));
  end DiodeInductor;

  model DiodeCapacitor "MOE15, Figure 8: an ideal diode beside a capacitor, without the vibrations of Figure 9"
    SineVoltage voltage(V = 1, f = 1/(2*Modelica.Constants.pi));
    Resistor R(R = 1);
    Capacitor C(C = 1, v(start = 0, fixed = true));
    IdealDiode diode(conducts = true);
    Ground ground;
  equation
    connect(voltage.p, R.p);
    connect(R.n, C.p);
    connect(R.n, diode.p);
    connect(C.n, ground.p);
    connect(diode.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 20));
  end DiodeCapacitor;

  model BreakingShaft "MOE15, Figure 10: breaks at 1 s, where the torque 2 t reaches 2 and half of it goes through the shaft"
    Rotational.Inertia inertia1(phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Inertia inertia2;
    Rotational.BreakingShaft shaft(tauMax = 1);
    Rotational.SignalTorque drive(u = 2*time);
  equation
    connect(drive.a, inertia1.a);
    connect(inertia1.b, shaft.a);
    connect(shaft.b, inertia2.a);
    annotation (experiment(StopTime = 2));
  end BreakingShaft;

  model Rectifier "A full bridge with a filter capacitor; the source floats while no diode conducts"
    SineVoltage voltage(V = 10, f = 50);
    Resistor R(R = 1);
    IdealDiode d1, d2, d3, d4;
    Capacitor C(C = 1e-3, v(start = 0, fixed = true));
    Resistor load(R = 100);
    Ground ground;
  equation
    connect(voltage.p, R.p);
    connect(R.n, d1.p);
    connect(R.n, d3.n);
    connect(voltage.n, d2.p);
    connect(voltage.n, d4.n);
    connect(d1.n, C.p);
    connect(d2.n, C.p);
    connect(d3.p, C.n);
    connect(d4.p, C.n);
    connect(C.p, load.p);
    connect(C.n, load.n);
    connect(C.n, ground.p);
    annotation (experiment(StopTime = 0.1));
  end Rectifier;

  model BoostConverter "From 5 V up, switched at 10 kHz with a duty of one half; R = 10 continuous, R = 1000 not"
    parameter Real load = 10;
    ConstantVoltage voltage(V = 5);
    Inductor L(L = 1e-3, i(start = 0, fixed = true));
    Switch switch(closes = sin(2*Modelica.Constants.pi*1e4*time) > 0);
    IdealDiode diode;
    Capacitor C(C = 1e-4, v(start = 5, fixed = true));
    Resistor R(R = load);
    Ground ground;
  equation
    connect(voltage.p, L.p);
    connect(L.n, switch.p);
    connect(L.n, diode.p);
    connect(diode.n, C.p);
    connect(diode.n, R.p);
    connect(voltage.n, ground.p);
    connect(switch.n, ground.p);
    connect(C.n, ground.p);
    connect(R.n, ground.p);
    annotation (experiment(StopTime = 0.002));
  end BoostConverter;

  model HBridge "Four switches turn the current through a motor's coil around every 10 ms"
    ConstantVoltage voltage(V = 12);
    Boolean forward = sin(2*Modelica.Constants.pi*50*time) > 0;
    Switch a(closes = forward), b(closes = not forward), c(closes = not forward), d(closes = forward);
    Resistor R(R = 1);
    Inductor L(L = 5e-3, i(start = 0, fixed = true));
    Ground ground;
  equation
    connect(voltage.p, a.p);
    connect(voltage.p, b.p);
    connect(a.n, R.p);
    connect(b.n, L.n);
    connect(R.n, L.p);
    connect(R.p, c.p);
    connect(L.n, d.p);
    connect(c.n, voltage.n);
    connect(d.n, voltage.n);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 0.05));
  end HBridge;

  model ChargedSwitch "A switch closes over 1 mF at 9.95957 V and 2 mF at 0 V: both at 3.31986 V, after 6.63971 mAs"
    Capacitor C1(C = 1e-3, v(start = 9.95957, fixed = true));
    Capacitor C2(C = 2e-3, v(start = 0, fixed = true));
    Switch switch(closes = time > 1);
    Ground ground;
  equation
    connect(C1.p, switch.p);
    connect(switch.n, C2.p);
    connect(C1.n, ground.p);
    connect(C2.n, ground.p);
    annotation (experiment(StopTime = 2));
  end ChargedSwitch;

  model Fuse "A breaker in series with a resistor: opens where the current reaches 2 A, at 0.5 s"
    SignalVoltage voltage(u = 4*time);
    Resistor R(R = 1);
    Breaker breaker(iMax = 2);
    Ground ground;
  equation
    connect(voltage.p, R.p);
    connect(R.n, breaker.p);
    connect(breaker.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 1));
  end Fuse;

  model FiredThyristor "Half a wave from the angle at which it is fired"
    SineVoltage voltage(V = 1, f = 1);
    Resistor R(R = 1);
    Thyristor thyristor(fire = sin(2*Modelica.Constants.pi*(time - 0.125)) > 0);
    Ground ground;
  equation
    connect(voltage.p, thyristor.p);
    connect(thyristor.n, R.p);
    connect(R.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 2));
  end FiredThyristor;

  model StepDown "A transformer of ratio 10 between 10 V and 1 Ohm: 0.1 A on the one side, 1 A on the other"
    ConstantVoltage voltage(V = 10);
    Transformer transformer(n = 10);
    Resistor R(R = 1);
    Ground ground;
  equation
    connect(voltage.p, transformer.p1);
    connect(voltage.n, transformer.n1);
    connect(transformer.p2, R.p);
    connect(transformer.n2, R.n);
    connect(voltage.n, ground.p);
    connect(R.n, ground.p);
    annotation (experiment(StopTime = 1));
  end StepDown;

  model EngagedClutch "Two inertias at 3 and 0 rad/s are joined at 1 s: both at 1 rad/s, and momentum is kept"
    Rotational.Inertia one(J = 1, phi(start = 0, fixed = true), w(start = 3, fixed = true));
    Rotational.Inertia other(J = 2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Clutch clutch(engage = time > 1);
  equation
    connect(one.b, clutch.a);
    connect(clutch.b, other.a);
    annotation (experiment(StopTime = 2));
  end EngagedClutch;

  model BrakedShaft "A shaft at 2 rad/s is stopped at 1 s by an impulse of 2 N m s"
    Rotational.Inertia inertia(J = 1, phi(start = 0, fixed = true), w(start = 2, fixed = true));
    Rotational.Brake brake(engage = time > 1);
  equation
    connect(inertia.b, brake.a);
    annotation (experiment(StopTime = 2));
  end BrakedShaft;

  model FreeWheel "Driven by sin(t), a wheel is pushed while the drive is faster, and rolls on when it is not"
    Rotational.Inertia drive(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.Inertia wheel(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.OneWayClutch clutch;
    Rotational.SignalTorque torque(u = cos(time));
  equation
    connect(torque.a, drive.a);
    connect(drive.b, clutch.a);
    connect(clutch.b, wheel.a);
    annotation (experiment(StopTime = 6));
  end FreeWheel;

  model SlidingShaft "Friction of 1 N m against 2 sin(t): sticks until pi/6"
    Rotational.Inertia inertia(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.CoulombFriction friction(tauMax = 1);
    Rotational.Fixed housing;
    Rotational.SignalTorque torque(u = 2*sin(time));
  equation
    connect(torque.a, inertia.a);
    connect(inertia.b, friction.a);
    connect(friction.b, housing.a);
    annotation (experiment(StopTime = 2));
  end SlidingShaft;

  model Drivetrain "A gear of ratio 3, a spring and a damper: the load turns a third as far as the drive"
    Rotational.Inertia drive(J = 1, phi(start = 0, fixed = true), w(start = 1, fixed = true));
    Rotational.Gear gear(n = 3);
    Rotational.Inertia load(J = 9);
    Rotational.Spring spring(c = 18);
    Rotational.Damper damper(d = 0);
    Rotational.Fixed housing;
  equation
    connect(drive.b, gear.a);
    connect(gear.b, load.a);
    connect(load.b, spring.a);
    connect(load.b, damper.a);
    connect(spring.b, housing.a);
    connect(damper.b, housing.a);
    annotation (experiment(StopTime = 6));
  end Drivetrain;

  model BlockOnTable "MOE15, Figure 11: friction of 2 N against 2.5 sin(2 pi t) N; slips at 0.14758362, sticks at 0.45948094"
    Translational.Mass body(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.CoulombFriction friction(fMax = 2);
    Translational.Fixed table;
    Translational.SignalForce drive(u = 2.5*sin(2*Modelica.Constants.pi*time));
  equation
    connect(drive.a, body.a);
    connect(body.b, friction.a);
    connect(friction.b, table.a);
    annotation (experiment(StopTime = 1));
  end BlockOnTable;

  model JoinedBodies "Bodies of 1 kg at 3 m/s and 2 kg at rest are joined at 1 s, both at 1 m/s, and let go at 2 s"
    Translational.Mass one(m = 1, s(start = 0, fixed = true), v(start = 3, fixed = true));
    Translational.Mass other(m = 2, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.Clutch clutch(engage = time > 1 and time < 2);
  equation
    connect(one.b, clutch.a);
    connect(clutch.b, other.a);
    annotation (experiment(StopTime = 3));
  end JoinedBodies;

  model BouncingBody "Falls from 1 m and comes back with half its speed: to a quarter of the height"
    Translational.HardStop body(m = 1, e = 0.5, s(start = 1, fixed = true), v(start = 0, fixed = true));
    Translational.ConstantForce gravity(f = -10);
  equation
    connect(gravity.a, body.a);
    annotation (experiment(StopTime = 0.8));
  end BouncingBody;

  model TornRod "Two bodies on a rod that tears at 1 N, driven by 2 t: at 1 s"
    Translational.Mass one(s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.Mass other;
    Translational.BreakingRod rod(fMax = 1);
    Translational.SignalForce drive(u = 2*time);
  equation
    connect(drive.a, one.a);
    connect(one.b, rod.a);
    connect(rod.b, other.a);
    annotation (experiment(StopTime = 2));
  end TornRod;

  model Oscillator "A mass between a spring, a damper and a lever, held by a brake from 3 s on"
    Translational.Mass mass(m = 4, s(start = 1, fixed = true), v(start = 0, fixed = true));
    Translational.Gear lever(n = 2);
    Translational.Spring spring(c = 4);
    Translational.Damper damper(d = 0);
    Translational.Fixed wall;
    Translational.Brake brake(engage = time > 3);
  equation
    connect(mass.b, lever.a);
    connect(lever.b, spring.a);
    connect(lever.b, damper.a);
    connect(spring.b, wall.a);
    connect(damper.b, wall.a);
    connect(mass.a, brake.a);
    annotation (experiment(StopTime = 4));
  end Oscillator;

  model TwoTanks "Tanks of 2 m and 1 m level out through a pipe once a valve opens at 1 s"
    Fluid.Tank one(area = 1e-3, level(start = 2, fixed = true));
    Fluid.Tank other(area = 1e-3, level(start = 1, fixed = true));
    Fluid.Valve valve(R = 9810, opens = time > 1);
  equation
    connect(one.port, valve.a);
    connect(valve.b, other.port);
    annotation (experiment(StopTime = 3));
  end TwoTanks;

  model FilledTank "A reservoir of changing pressure fills a tank through a check valve and a pipe, and never empties it"
    Fluid.Reservoir reservoir(p = 9810);
    Fluid.Pipe pipe(R = 9810);
    Fluid.CheckValve valve;
    Fluid.Tank tank(area = 1e-3, level(start = 0, fixed = true));
    Fluid.Pump pump(flow_rate = 0.25);
    Fluid.Reservoir sump(p = 0);
  equation
    connect(reservoir.port, pipe.a);
    connect(pipe.b, valve.a);
    connect(valve.b, tank.port);
    connect(sump.port, pump.a);
    connect(pump.b, tank.port);
    annotation (experiment(StopTime = 8));
  end FilledTank;

  model ChargingSource "A current of 1 A into 2 F: 0.5 V after 1 s"
    ConstantCurrent source(I = 1);
    Capacitor C(C = 2, v(start = 0, fixed = true));
    Ground ground;
  equation
    connect(source.n, C.p);
    connect(source.p, ground.p);
    connect(C.n, ground.p);
    annotation (experiment(StopTime = 1));
  end ChargingSource;

  model DestroyedCapacitor "As BreakingCapacitor, with the two states inside one element: breaks at 0.3219 s too"
    ConstantVoltage voltage(V = 10);
    Resistor R2(R = 100);
    Capacitor C2(C = 1e-3, v(start = 0, fixed = true));
    Modeshift.Electrical.BreakingCapacitor C1(C = 1e-3, R = 1, vMax = 8);
    Ground ground;
  equation
    connect(voltage.p, R2.p);
    connect(R2.n, C2.p);
    connect(R2.n, C1.p);
    connect(C1.n, ground.p);
    connect(C2.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 1));
  end DestroyedCapacitor;

  model DestroyedInductor "As BreakingInductor, with the two states inside one element: breaks at 2 ln 2 s too"
    ConstantVoltage voltage(V = 10);
    Resistor R(R = 1);
    Modeshift.Electrical.BreakingInductor L1(L = 1, R = 100, iMax = 5);
    Inductor L2(L = 1, i(start = 0, fixed = true));
    Ground ground;
  equation
    connect(voltage.p, R.p);
    connect(R.n, L1.p);
    connect(L1.n, L2.p);
    connect(L2.n, ground.p);
    connect(voltage.n, ground.p);
    annotation (experiment(StopTime = 3));
  end DestroyedInductor;

  model SpunUp "A torque of 2 N m on 4 kg m2: 0.5 rad/s after 1 s"
    Rotational.ConstantTorque drive(tau = 2);
    Rotational.Inertia inertia(J = 4, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  equation
    connect(drive.a, inertia.a);
    annotation (experiment(StopTime = 1));
  end SpunUp;
end Examples;

within Modeshift;
package Fluid "Tanks, pipes and valves of an incompressible liquid"
  connector Port "Where liquid enters"
    Real p(unit = "Pa") "pressure";
    flow Real m(unit = "kg/s") "mass flow into the element";
  end Port;

  partial model TwoPort "Two ports, and what enters at a leaves at b"
    Port a, b;
    Real dp(unit = "Pa") "pressure drop from a to b";
    Real m(unit = "kg/s") "mass flow from a to b";
  equation
    dp = a.p - b.p;
    m = a.m;
    a.m + b.m = 0;
  end TwoPort;

  model Tank "A column of liquid above its port"
    Port port;
    parameter Real area(unit = "m2") = 1;
    parameter Real rho(unit = "kg/m3") = 1000;
    parameter Real g(unit = "m/s2") = 9.81;
    Real level(unit = "m");
  equation
    rho*area*der(level) = port.m;
    port.p = rho*g*level;
  end Tank;

  model Reservoir "A pressure that does not change"
    Port port;
    parameter Real p(unit = "Pa") = 0;
  equation
    port.p = p;
  end Reservoir;

  model Pump "A mass flow that does not change, from a to b"
    extends TwoPort;
    parameter Real flow_rate(unit = "kg/s") = 1;
  equation
    m = flow_rate;
  end Pump;

  model Pipe "dp = R m, laminar"
    extends TwoPort;
    parameter Real R(unit = "Pa.s/kg") = 1;
  equation
    dp = R*m;
  end Pipe;

  model Shut "No flow"
    extends TwoPort;
  equation
    m = 0;
  end Shut;

  model Valve "A pipe while a signal says so, else shut"
    Port a, b;
    parameter Real R(unit = "Pa.s/kg") = 0;
    input Boolean opens;
    Shut shut;
    Pipe open(R = R);
  equation
    initialState(shut);
    transition(shut, open, opens);
    transition(open, shut, not opens);
    connect(a, shut.a);
    connect(a, open.a);
    connect(b, shut.b);
    connect(b, open.b);
  end Valve;

  model CheckValve "Lets liquid pass from a to b only"
    Port a, b;
    parameter Real R(unit = "Pa.s/kg") = 0;
    Shut shut;
    Pipe open(R = R);
  equation
    initialState(shut);
    transition(shut, open, shut.dp > 0);
    transition(open, shut, open.m < 0);
    connect(a, shut.a);
    connect(a, open.a);
    connect(b, shut.b);
    connect(b, open.b);
    annotation (Documentation(info = "With R = 0 it is to liquids what an ideal diode is to currents."));
  end CheckValve;
end Fluid;

within Modeshift;
package Electrical "Circuits with ideal switching elements"
  connector Pin "A place where a current enters"
    Real v(unit = "V") "potential";
    flow Real i(unit = "A") "current into the element";
  end Pin;

  partial model TwoPin "Two pins, and the current that enters at p leaves at n"
    Pin p, n;
    Real v(unit = "V") "voltage from p to n";
    Real i(unit = "A") "current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end TwoPin;

  model Ground "Where the potential is zero"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Resistor "v = R i"
    extends TwoPin;
    parameter Real R(unit = "Ohm") = 1;
  equation
    v = R*i;
    annotation (Documentation(info = "A linear resistor. R may be zero, or negative."));
  end Resistor;

  model Inductor "v = L der(i)"
    extends TwoPin;
    parameter Real L(unit = "H") = 1;
  equation
    v = L*der(i);
    annotation (Documentation(info = "A linear inductor. Its current is a state unless the circuit prescribes it."));
  end Inductor;

  model Capacitor "i = C der(v)"
    extends TwoPin;
    parameter Real C(unit = "F") = 1;
  equation
    i = C*der(v);
    annotation (Documentation(info = "A linear capacitor. Its voltage is a state unless the circuit prescribes it."));
  end Capacitor;

  model ConstantVoltage "A voltage that does not change"
    extends TwoPin;
    parameter Real V(unit = "V") = 1;
  equation
    v = V;
  end ConstantVoltage;

  model SineVoltage "V sin(2 pi f t + phase)"
    extends TwoPin;
    parameter Real V(unit = "V") = 1;
    parameter Real f(unit = "Hz") = 1;
    parameter Real phase(unit = "rad") = 0;
  equation
    v = V*sin(2*Modelica.Constants.pi*f*time + phase);
  end SineVoltage;

  model SignalVoltage "A voltage that a signal says"
    extends TwoPin;
    input Real u(unit = "V");
  equation
    v = u;
  end SignalVoltage;

  model ConstantCurrent "A current from p to n through the source that does not change"
    extends TwoPin;
    parameter Real I(unit = "A") = 1;
  equation
    i = I;
  end ConstantCurrent;

  model Gap "A broken line: no current"
    extends TwoPin;
  equation
    i = 0;
  end Gap;

  model Line "An ideal line: no voltage"
    extends TwoPin;
  equation
    v = 0;
  end Line;

  model IdealDiode "Conducts from p to n, and blocks the other way"
    Pin p, n;
    parameter Boolean conducts = false "at the start, where both are possible";
    Gap open "blocks";
    Line closed "conducts";
  equation
    if conducts then
      initialState(closed);
    else
      initialState(open);
    end if;
    transition(open, closed, open.v > 0);
    transition(closed, open, closed.i < 0);
    connect(p, open.p);
    connect(p, closed.p);
    connect(n, open.n);
    connect(n, closed.n);
    annotation (Documentation(info = "MOE15, Figure 6. No voltage while it conducts, no current while it blocks. Which of the two follows at an
instant is found with the rest of the circuit, for all diodes at once."));
  end IdealDiode;

  model Switch "Open or closed, as a signal says"
    Pin p, n;
    input Boolean closes "true: closed";
    Gap open;
    Line closed;
  equation
    initialState(open);
    transition(open, closed, closes);
    transition(closed, open, not closes);
    connect(p, open.p);
    connect(p, closed.p);
    connect(n, open.n);
    connect(n, closed.n);
    annotation (Documentation(info = "Closing it over a charged capacitor, or opening it in series with a current, makes an impulse: the run shows
its weight."));
  end Switch;

  model Thyristor "A diode that has to be fired"
    Pin p, n;
    input Boolean fire;
    Gap open;
    Line closed;
  equation
    initialState(open);
    transition(open, closed, fire and open.v > 0);
    transition(closed, open, closed.i < 0);
    connect(p, open.p);
    connect(p, closed.p);
    connect(n, open.n);
    connect(n, closed.n);
    annotation (Documentation(info = "Conducts from the instant at which it is fired with a positive voltage, until its current would change sign."));
  end Thyristor;

  model Breaker "Opens where its current becomes too large, and stays open"
    Pin p, n;
    parameter Real iMax(unit = "A") = 1;
    Line closed;
    Gap open;
  equation
    initialState(closed);
    transition(closed, open, closed.i > iMax or closed.i < -iMax);
    connect(p, open.p);
    connect(p, closed.p);
    connect(n, open.n);
    connect(n, closed.n);
    annotation (Documentation(info = "A fuse. In series with an inductor its opening makes an impulse of voltage."));
  end Breaker;

  model BreakingCapacitor "A capacitor that is a resistor once its voltage was too large"
    Pin p, n;
    parameter Real C(unit = "F") = 1;
    parameter Real R(unit = "Ohm") = 1 "when it is broken";
    parameter Real vMax(unit = "V") = 1;
    Capacitor intact(C = C);
    Resistor broken(R = R);
  equation
    initialState(intact);
    transition(intact, broken, intact.v > vMax or intact.v < -vMax);
    connect(p, intact.p);
    connect(p, broken.p);
    connect(n, intact.n);
    connect(n, broken.n);
    annotation (Documentation(info = "MOE15, Figure 2."));
  end BreakingCapacitor;

  model BreakingInductor "An inductor that is a resistor once its current was too large"
    Pin p, n;
    parameter Real L(unit = "H") = 1;
    parameter Real R(unit = "Ohm") = 1 "when it is broken";
    parameter Real iMax(unit = "A") = 1;
    Inductor intact(L = L);
    Resistor broken(R = R);
  equation
    initialState(intact);
    transition(intact, broken, intact.i > iMax or intact.i < -iMax);
    connect(p, intact.p);
    connect(p, broken.p);
    connect(n, intact.n);
    connect(n, broken.n);
    annotation (Documentation(info = "MOE15, Figure 4."));
  end BreakingInductor;

  model Transformer "Ideal: v1 = n v2, and no power is lost"
    Pin p1, n1, p2, n2;
    parameter Real n = 1 "turns of the first winding per turn of the second";
    Real v1(unit = "V"), i1(unit = "A"), v2(unit = "V"), i2(unit = "A");
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    v1 = n*v2;
    n*i1 + i2 = 0;
    annotation (Documentation(info = "Also for direct current: it has no inductance."));
  end Transformer;
end Electrical;

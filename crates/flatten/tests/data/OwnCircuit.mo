// A user's own package of electrical components: connectors, inheritance, replaceable components and redeclare.
package Circuits
  type Voltage = Real(unit = "V");
  type Current = Real(unit = "A");
  connector Pin
    Voltage v;
    flow Current i;
  end Pin;
  package Parts
    partial model OnePort
      Pin p, n;
      Voltage v;
      Current i;
    equation
      v = p.v - n.v;
      i = p.i;
      p.i + n.i = 0;
    end OnePort;
    model Resistor
      extends OnePort;
      parameter Real R(min = 0) = 1;
    equation
      v = R*i;
    end Resistor;
    model HeatedResistor
      extends OnePort;
      parameter Real R = 1;
      parameter Real alpha = 1e-3;
      parameter Real T = 350;
      Real R_actual = R*(1 + alpha*(T - 300));
    equation
      v = R_actual*i;
    end HeatedResistor;
    model Capacitor
      extends OnePort(v(start = 0, fixed = true));
      parameter Real C = 1e-6;
    equation
      C*der(v) = i;
    end Capacitor;
    model Source
      extends OnePort;
    equation
      v = sin(time);
    end Source;
    model Ground
      Pin p;
    equation
      p.v = 0;
    end Ground;
  end Parts;
  model Filter
    import Circuits.Parts.*;
    parameter Real R0 = 100;
    Pin input_pin, output_pin, ground_pin;
    replaceable Resistor resistor(R = R0);
    Capacitor capacitor;
  equation
    connect(input_pin, resistor.p);
    connect(resistor.n, output_pin);
    connect(resistor.n, capacitor.p);
    connect(capacitor.n, ground_pin);
  end Filter;
  model Example
    Parts.Source source;
    Parts.Ground ground;
    Filter filter(R0 = 50, redeclare Parts.HeatedResistor resistor(alpha = 2e-3));
  equation
    connect(source.p, filter.input_pin);
    connect(source.n, ground.p);
    connect(filter.ground_pin, ground.p);
  end Example;
end Circuits;

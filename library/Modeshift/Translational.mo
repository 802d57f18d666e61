within Modeshift;
package Translational "Bodies on a line, with stops, brakes and friction"
  connector Flange "A point of a body"
    Real s(unit = "m") "position";
    flow Real f(unit = "N") "force into the element";
  end Flange;

  partial model TwoFlanges "Two flanges, and the force that enters at a leaves at b"
    Flange a, b;
    Real f(unit = "N") "force from a to b";
  equation
    f = a.f;
    a.f + b.f = 0;
  end TwoFlanges;

  model Mass "m der(v) = sum of forces"
    Flange a, b;
    parameter Real m(unit = "kg") = 1;
    Real s(unit = "m");
    Real v(unit = "m/s");
  equation
    a.s = s;
    b.s = s;
    der(s) = v;
    m*der(v) = a.f + b.f;
  end Mass;

  model Fixed "Does not move"
    Flange a;
    parameter Real s(unit = "m") = 0;
  equation
    a.s = s;
  end Fixed;

  model ConstantForce "Drives with a force that does not change"
    Flange a;
    parameter Real f(unit = "N") = 1;
  equation
    a.f = -f;
  end ConstantForce;

  model SignalForce "Drives with the force that a signal says"
    Flange a;
    input Real u(unit = "N");
  equation
    a.f = -u;
  end SignalForce;

  model Spring "f = c times the distance from b to a beyond its length"
    extends TwoFlanges;
    parameter Real c(unit = "N/m") = 1;
    parameter Real length(unit = "m") = 0;
  equation
    f = c*(a.s - b.s - length);
  end Spring;

  model Damper "f = d times the speed from b to a"
    extends TwoFlanges;
    parameter Real d(unit = "N.s/m") = 1;
  equation
    f = d*(der(a.s) - der(b.s));
  end Damper;

  model Gear "a moves n times as far as b"
    Flange a, b;
    parameter Real n = 1;
  equation
    a.s = n*b.s;
    n*a.f + b.f = 0;
  end Gear;

  model Free "Two points that do not touch: no force"
    extends TwoFlanges;
    Real v(unit = "m/s") "speed of a, seen from b";
  equation
    v = der(a.s) - der(b.s);
    f = 0;
  end Free;

  model Cut "Two points that nothing relates any more: no force"
    extends TwoFlanges;
  equation
    f = 0;
  end Cut;

  model Together "Two points that move at the same speed"
    extends TwoFlanges;
  equation
    der(a.s) = der(b.s);
  end Together;

  model Rigid "Two points at the same place"
    extends TwoFlanges;
  equation
    a.s = b.s;
  end Rigid;

  model Clutch "Joins two bodies while a signal says so"
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
  end Clutch;

  model Brake "Stops a body while a signal says so"
    Flange a;
    input Boolean engage;
    Clutch clutch(engage = engage);
    Fixed housing;
  equation
    connect(a, clutch.a);
    connect(clutch.b, housing.a);
  end Brake;

  model BreakingRod "Rigid until its force is too large, two free ends from then on"
    Flange a, b;
    parameter Real fMax(unit = "N") = 1;
    Rigid intact;
    Cut broken;
  equation
    initialState(intact);
    transition(intact, broken, intact.f > fMax or intact.f < -fMax);
    connect(a, intact.a);
    connect(a, broken.a);
    connect(b, intact.b);
    connect(b, broken.b);
  end BreakingRod;

  model Sliding "A force against the motion, of one sign"
    extends TwoFlanges;
    parameter Real force(unit = "N") = 0;
    Real v(unit = "m/s") "speed of a, seen from b";
  equation
    v = der(a.s) - der(b.s);
    f = force;
  end Sliding;

  model CoulombFriction "Sticks, and slides where more than fMax is needed to stick"
    Flange a, b;
    parameter Real fMax(unit = "N") = 1;
    Together stuck;
    Sliding forward(force = fMax);
    Sliding backward(force = -fMax);
  equation
    initialState(stuck);
    transition(stuck, forward, stuck.f > fMax);
    transition(stuck, backward, stuck.f < -fMax);
    transition(forward, stuck, forward.v < 0);
    transition(backward, stuck, backward.v > 0);
    connect(a, stuck.a);
    connect(a, forward.a);
    connect(a, backward.a);
    connect(b, stuck.b);
    connect(b, forward.b);
    connect(b, backward.b);
    annotation (Documentation(info = "MOE15, Figure 11, along a line."));
  end CoulombFriction;

  block NoWall "A wall that is not touched: no force"
    outer output Real wall;
  equation
    wall = 0;
  end NoWall;

  block AtWall "A body that rests at its wall"
    outer Real s;
    outer input Real wall;
    parameter Real sMin(unit = "m") = 0 "where the wall is";
    Real force(unit = "N") = wall "from the wall";
  equation
    s = sMin;
  end AtWall;

  model HardStop "A body that a wall throws back, and that comes to rest there"
    Flange a, b;
    parameter Real m(unit = "kg") = 1;
    parameter Real sMin(unit = "m") = 0 "where the wall is";
    parameter Real e = 1 "speed after an impact per speed before";
    inner Real s(unit = "m");
    Real v(unit = "m/s");
    NoWall away;
    AtWall resting(sMin = sMin);
  protected
    inner Real wall(unit = "N") "force from the wall";
    discrete Real arrival(unit = "m/s", start = 0, fixed = true) "speed before the last impact";
    discrete Real departure(unit = "m/s", start = 0, fixed = true) "speed after it";
    Boolean departs(start = true, fixed = true) "whether it left the wall then";
  equation
    a.s = s;
    b.s = s;
    der(s) = v;
    m*der(v) = a.f + b.f + wall;
    when {s <= sMin, initial() and s <= sMin} then
      arrival = pre(v);
      departure = if arrival > 0 then arrival else -e*arrival;
      departs = departure > 0;
      if departs then
        reinit(v, departure);
      end if;
    end when;
    initialState(away);
    transition(away, resting, s <= sMin and not departs);
    transition(resting, away, resting.force < 0);
    annotation (Documentation(info = "The restitution is a law of the impact: it is the body that is thrown back, so the stop contains it. What is not
thrown back rests: with `e = 0` at once, otherwise where the impacts accumulate. It leaves the wall where that would have to hold it back."));
  end HardStop;
end Translational;

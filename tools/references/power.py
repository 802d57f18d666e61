"""Power electronics: the converters of a textbook as networks. Lengths of time are in units of tau, sizes in units of u."""
import math

from network import Net, after, compare, plus, pulse, window

MAINS = 2 * math.pi / 20  # 50 Hz in milliseconds


def converter(name, title, stop, form, watch=(), **more):
    """A converter whose switch has the period 1."""
    return Net(name, title, stop, 0.05, form=form, unit=24.0, tau=1e-5, watch=list(watch), **more)


def mains(name, title, stop, form, watch=(), **more):
    """A circuit on 50 Hz; its unit of time is a millisecond."""
    return Net(name, title, stop, 0.25, form=form, unit=1.0, tau=1e-3, watch=list(watch), **more)


# ---- one switch, one diode ----

def buck(name, title, form, L, R, duty, ron=0.0, rd=0.0, forward=0.0, stop=12.0, C=4.0):
    return (converter(name, title, stop, form, ["iS", "iD1"]).dc("V", 1, 0, 1.0).S("S", 1, 2, pulse(1.0, duty), ron)
            .D("D1", 0, 2, rd, forward).L("L", 2, 3, L).C("C", 3, 0, C).R("R", 3, 0, R))


def boost(name, title, form, L, R, duty, ron=0.0, rd=0.0, stop=12.0):
    return (converter(name, title, stop, form, ["iS", "iD1"]).dc("V", 1, 0, 1.0).L("L", 1, 2, L).S("S", 2, 0, pulse(1.0, duty), ron)
            .D("D1", 2, 3, rd).C("C", 3, 0, 4.0).R("R", 3, 0, R))


def buck_boost(name, title, form, L, R, duty, rd=0.0):
    return (converter(name, title, 12.0, form, ["iD1"]).dc("V", 1, 0, 1.0).S("S", 1, 2, pulse(1.0, duty)).L("L", 2, 0, L)
            .D("D1", 3, 2, rd).C("C", 3, 0, 5.0).R("R", 3, 0, R))


def cuk(name, form, ron=0.0, R=2.0):
    return (converter(name, "Cuk converter", 15.0, form, ["iD1"]).dc("V", 1, 0, 1.0).L("L1", 1, 2, 3.0).S("S", 2, 0, pulse(1.0, 0.4), ron)
            .C("C1", 2, 3, 2.0).D("D1", 3, 0, ron).L("L2", 3, 4, 3.0).C("C2", 4, 0, 3.0).R("R", 4, 0, R))


def sepic(name, form, ron=0.0):
    return (converter(name, "SEPIC", 15.0, form, ["iD1"]).dc("V", 1, 0, 1.0).L("L1", 1, 2, 3.0).S("S", 2, 0, pulse(1.0, 0.45), ron)
            .C("C1", 2, 3, 2.0).L("L2", 3, 0, 3.0).D("D1", 3, 4, ron).C("C2", 4, 0, 4.0).R("R", 4, 0, 2.5))


def zeta(name, form, ron=0.0):
    return (converter(name, "Zeta converter", 15.0, form, ["iD1"]).dc("V", 1, 0, 1.0).S("S", 1, 2, pulse(1.0, 0.45), ron).L("L1", 2, 0, 3.0)
            .C("C1", 2, 3, 2.0).D("D1", 0, 3, ron).L("L2", 3, 4, 3.0).C("C2", 4, 0, 4.0).R("R", 4, 0, 2.5))


# ---- with transformers ----

def flyback(name, form, R, rd=0.0):
    return (converter(name, "flyback converter, ideal transformer with a magnetizing inductance", 12.0, form, ["iD1"]).dc("V", 1, 0, 1.0)
            .S("S", 2, 0, pulse(1.0, 0.4)).L("Lm", 1, 2, 2.0).transformer("T", 1, 2, 0, 3, 0.5).D("D1", 3, 4, rd)
            .C("C", 4, 0, 4.0).R("R", 4, 0, R))


def forward(name, form, rd=0.0):
    return (converter(name, "forward converter with a reset winding", 12.0, form, ["iD1", "iD2"]).dc("V", 1, 0, 1.0)
            .S("S", 2, 0, pulse(1.0, 0.4)).L("Lm", 1, 2, 5.0).transformer("T", 1, 2, 3, 0, 0.8).transformer("N", 1, 2, 0, 6, 1.0)
            .D("D3", 6, 1, rd).D("D1", 3, 4, rd).D("D2", 0, 4, rd).L("L", 4, 5, 2.0).C("C", 5, 0, 4.0).R("R", 5, 0, 0.7))


def two_switch_forward(name, form, rd=0.0):
    return (converter(name, "forward converter with two switches, two diodes feed back", 12.0, form, ["iD1"]).dc("V", 1, 0, 1.0)
            .S("S1", 1, 2, pulse(1.0, 0.4)).S("S2", 3, 0, pulse(1.0, 0.4)).D("D3", 3, 1, rd).D("D4", 0, 2, rd).L("Lm", 2, 3, 5.0)
            .transformer("T", 2, 3, 4, 0, 0.9).D("D1", 4, 5, rd).D("D2", 0, 5, rd).L("L", 5, 6, 2.0).C("C", 6, 0, 4.0).R("R", 6, 0, 0.7))


def push_pull(name, form, rd=0.0):
    return (converter(name, "push-pull converter, centre taps on both sides", 10.0, form, ["iD1", "iD2"]).dc("V", 1, 0, 1.0)
            .S("S1", 2, 0, pulse(1.0, 0.35), 0.01).S("S2", 3, 0, pulse(1.0, 0.35, 0.5), 0.01).transformer("A", 1, 2, 1, 3, -1.0)
            .L("Lm", 1, 2, 6.0).transformer("B", 1, 2, 4, 0, 0.6).transformer("Q", 1, 3, 5, 0, 0.6).D("D1", 4, 6, rd).D("D2", 5, 6, rd)
            .L("L", 6, 7, 2.0).C("C", 7, 0, 4.0).R("R", 7, 0, 0.5))


def half_bridge(name, form):
    return (converter(name, "half bridge converter with a centre tapped secondary", 10.0, form, ["iD1"]).dc("V1", 1, 0, 0.5).dc("V2", 0, 2, 0.5)
            .S("S1", 1, 3, pulse(1.0, 0.4), 0.02).S("S2", 3, 2, pulse(1.0, 0.4, 0.5), 0.02).L("Lm", 3, 0, 8.0)
            .transformer("A", 3, 0, 4, 0, 1.0).transformer("B", 3, 0, 0, 5, 1.0).D("D1", 4, 6).D("D2", 5, 6)
            .L("L", 6, 7, 1.5).C("C", 7, 0, 4.0).R("R", 7, 0, 0.6))


def full_bridge(name, form, ron):
    return (converter(name, "full bridge converter, diode bridge on the secondary side", 8.0, form).dc("V", 1, 0, 1.0)
            .S("S1", 1, 2, pulse(1.0, 0.4), ron).S("S2", 2, 0, pulse(1.0, 0.4, 0.5), ron).S("S3", 1, 3, pulse(1.0, 0.4, 0.5), ron)
            .S("S4", 3, 0, pulse(1.0, 0.4), ron).L("Lm", 2, 3, 8.0).transformer("T", 2, 3, 4, 5, 0.7)
            .D("D1", 4, 6, ron).D("D2", 5, 6, ron).D("D3", 0, 4, ron).D("D4", 0, 5, ron).L("L", 6, 7, 1.5).C("C", 7, 0, 4.0).R("R", 7, 0, 0.6))


# ---- bridges of switches ----

def h_bridge(name, form):
    return (converter(name, "H bridge, complementary switches, RL load", 10.0, form).dc("V", 1, 0, 1.0)
            .S("S1", 1, 2, pulse(1.0, 0.7)).S("S2", 2, 0, pulse(1.0, 0.7, inverted=True)).S("S3", 1, 3, pulse(1.0, 0.3))
            .S("S4", 3, 0, pulse(1.0, 0.3, inverted=True)).L("L", 2, 4, 1.5).R("R", 4, 3, 0.6))


def h_bridge_dead(name, form, rd=0.0):
    """Dead times: the current goes on through antiparallel diodes."""
    return (converter(name, "H bridge with dead times, the current goes on through antiparallel diodes", 10.0, form).dc("V", 1, 0, 1.0)
            .S("S1", 1, 2, pulse(2.0, 0.45)).S("S2", 2, 0, pulse(2.0, 0.45, 1.0)).S("S3", 1, 3, pulse(2.0, 0.45, 1.0)).S("S4", 3, 0, pulse(2.0, 0.45))
            .D("D1", 2, 1, rd).D("D2", 0, 2, rd).D("D3", 3, 1, rd).D("D4", 0, 3, rd).L("L", 2, 4, 1.5).R("R", 4, 3, 0.6))


def six_step(name, form):
    net = mains(name, "three-phase inverter in six steps, star of RL loads", 40.0, form)
    net.dc("V", 1, 0, 100.0)
    for k, leg in enumerate("abc"):
        gate = pulse(20.0, 0.5, k * 20 / 3)
        net.S("H" + leg, 1, leg, gate).S("G" + leg, leg, 0, pulse(20.0, 0.5, k * 20 / 3, inverted=True))
        net.L("L" + leg, leg, "m" + leg, 12.0 + k).R("R" + leg, "m" + leg, "n", 5.0)
    return net


def modulated(name, form, phases):
    """Sine-triangle modulation; the carrier is an asin(sin)."""
    net = mains(name, f"inverter with sine-triangle modulation, {phases} legs", 20.0, form)
    net.dc("V1", 1, 0, 50.0).dc("V2", 0, 2, 50.0)
    carrier = 2 * math.pi * 0.45
    for k in range(phases):
        shift = -2 * math.pi * k / 3
        f = lambda t, shift=shift: 0.8 * math.sin(MAINS * t + shift) - 2 / math.pi * math.asin(math.sin(carrier * t + 0.3))
        text = f"0.8*sin({MAINS!r}/tau*time {plus(shift)}) > 2/3.141592653589793*asin(sin({carrier!r}/tau*time + 0.3))"
        roots = lambda stop, f=f: sign_changes(f, stop)
        net.S(f"H{k}", 1, f"a{k}", compare(text, f, roots)).S(f"G{k}", f"a{k}", 2, compare(text, f, roots, inverted=True))
        net.L(f"L{k}", f"a{k}", f"m{k}", 8.0).R(f"R{k}", f"m{k}", "n" if phases > 1 else 0, 3.0)
    return net


def sign_changes(f, stop, count=20000):
    """All sign changes of a function, by bisection."""
    found = []
    for k in range(count):
        low, high = stop * k / count, stop * (k + 1) / count
        positive = f(low) > 0
        if (f(high) > 0) == positive: continue
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if (f(middle) > 0) == positive else (low, middle)
        found.append(high)
    return found


# ---- rectifiers ----

def half_wave(name, title, form, load, stop=50.0, ron=0.0, source=0.0):
    net = mains(name, title, stop, form, ["iD1"]).sine("V", "s" if source else 1, 0, 100.0, MAINS)
    if source: net.L("Ls", "s", 1, source)
    return load(net.D("D1", 1, 2, ron))


def bridge(name, title, form, load, ron=0.0, source=lambda net: net.sine("V", 1, 9, 100.0, MAINS), stop=45.0, watch=()):
    net = source(mains(name, title, stop, form, watch))
    net.D("D1", 1, 2, ron).D("D2", 9, 2, ron).D("D3", 0, 1, ron).D("D4", 0, 9, ron)
    return load(net)


def centre_tap(name, title, form, load, ron=0.0):
    net = mains(name, title, 45.0, form, ["iD1"]).sine("V1", 1, 0, 50.0, MAINS).sine("V2", 0, 9, 50.0, MAINS)
    return load(net.D("D1", 1, 2, ron).D("D2", 9, 2, ron))


def pulses(name, title, form, load, six, ron=0.0, source=0.0, stop=40.0, thyristors=None):
    """Three or six pulses."""
    net = mains(name, title, stop, form)
    shift = 0.1 if thyristors is None else 0.88  # no gate is open at the start
    for k in range(3):
        net.sine(f"V{k}", f"s{k}" if source else f"a{k}", "m" if six else 0, 100.0, MAINS, shift - 2 * math.pi * k / 3)
        if source: net.L(f"S{k}", f"s{k}", f"a{k}", source)
    for k in range(3):
        if thyristors is None:
            net.D(f"P{k}", f"a{k}", 2, ron)
            if six: net.D(f"N{k}", 0, f"a{k}", ron)
        else:
            # natural commutation of phase k is 30 degrees after its zero; a second gate 60 degrees later keeps both halves fed
            zero = lambda angle: ((angle + 2 * math.pi * k / 3 - shift) % (2 * math.pi)) / MAINS
            net.Th(f"P{k}", f"a{k}", 2, gate(zero(math.pi / 6 + thyristors)), ron)
            if six: net.Th(f"N{k}", 0, f"a{k}", gate(zero(7 * math.pi / 6 + thyristors)), ron)
    return load(net)


def gate(at, width=4.5):
    """A gate pulse in every period, 81 degrees long."""
    at = at % 20.0
    if at + width < 20.0: return window(20.0, at, at + width)
    return pulse(20.0, width / 20.0, at)


R_load = lambda R: lambda net: net.R("R", 2, 0, R)
RL = lambda R, L: lambda net: net.L("L", 2, 3, L).R("R", 3, 0, R)
RC = lambda R, C: lambda net: net.C("C", 2, 0, C).R("R", 2, 0, R)
LC = lambda L, C, R: lambda net: net.L("L", 2, 3, L).C("C", 3, 0, C).R("R", 3, 0, R)
battery = lambda R, V: lambda net: net.R("R", 2, 3, R).dc("B", 3, 0, V)
inductive = lambda Ls: lambda net: net.sine("V", "s", 9, 100.0, MAINS).L("Ls", "s", 1, Ls)
resistive = lambda Rs: lambda net: net.sine("V", "s", 9, 100.0, MAINS).R("Rs", "s", 1, Rs)


def doubler(name, form, ron=0.0):
    return (mains(name, "voltage doubler of Delon", 65.0, form, ["iD1"]).sine("V", "s", 0, 100.0, MAINS).R("Rs", "s", 1, 2.0)
            .D("D1", 1, 2, ron).D("D2", 3, 1, ron).C("C1", 2, 0, 0.4).C("C2", 0, 3, 0.4).R("R", 2, 3, 200.0))


def cascade(name, form, stages, ron=0.0):
    """Cockcroft-Walton."""
    net = mains(name, f"Cockcroft-Walton cascade of {stages} stages", 65.0, form).sine("V", "s", 0, 100.0, MAINS).R("Rs", "s", "p0", 5.0)
    for k in range(stages):
        low = "0" if k == 0 else f"q{k}"
        net.C(f"A{k}", f"p{k}", f"p{k + 1}", 0.5).D(f"E{k}", low, f"p{k + 1}", ron).D(f"F{k}", f"p{k + 1}", f"q{k + 1}", ron)
        net.C(f"B{k}", low, f"q{k + 1}", 0.5)
    return net.R("R", f"q{stages}", 0, 4000.0)


def all_nets():
    """Every circuit of this kind."""
    yield buck("BuckContinuous", "buck converter", "s", 2.0, 1.0, 0.5)
    yield buck("BuckContinuousPre", "buck converter", "pre", 2.0, 1.0, 0.55)
    yield buck("BuckDiscontinuous", "buck converter whose current ends", "s", 0.5, 8.0, 0.3)
    yield buck("BuckDiscontinuousPre", "buck converter whose current ends", "pre", 0.5, 8.0, 0.35)
    yield buck("BuckLosses", "buck converter with Ron and forward voltage", "s", 0.5, 3.0, 0.4, ron=0.02, rd=0.03, forward=0.04)
    yield boost("BoostContinuous", "boost converter", "s", 2.0, 2.0, 0.5)
    yield boost("BoostDiscontinuousPre", "boost converter whose current ends", "pre", 0.5, 20.0, 0.4)
    yield boost("BoostLosses", "boost converter with Ron", "inline", 1.0, 6.0, 0.45, ron=0.05, rd=0.05)
    yield buck_boost("BuckBoost", "buck-boost converter", "s", 2.0, 2.0, 0.45)
    yield buck_boost("BuckBoostDiscontinuousPre", "buck-boost converter whose current ends", "pre", 0.6, 15.0, 0.4)
    yield cuk("CukIdeal", "s")
    yield cuk("CukPre", "pre", R=6.0)
    yield sepic("SepicIdeal", "s")
    yield sepic("SepicLossesPre", "pre", 0.02)
    yield zeta("ZetaIdeal", "s")
    yield zeta("ZetaPre", "pre")
    yield flyback("FlybackContinuous", "s", 1.0)
    yield flyback("FlybackDiscontinuousPre", "pre", 8.0)
    yield forward("ForwardReset", "s")
    yield two_switch_forward("ForwardTwoSwitches", "pre", 0.01)
    yield push_pull("PushPull", "s", 0.02)
    yield half_bridge("HalfBridge", "s")
    yield full_bridge("FullBridge", "pre", 0.01)
    yield h_bridge("HBridge", "s")
    yield h_bridge_dead("HBridgeDeadTime", "s")
    yield h_bridge_dead("HBridgeDeadTimeLosses", "pre", 0.03)
    yield six_step("InverterSixStep", "s")
    yield modulated("InverterModulated1", "s", 1)
    yield modulated("InverterModulated3", "s", 3)
    yield half_wave("HalfWaveR", "half wave rectifier, R", "s", R_load(10.0))
    yield half_wave("HalfWaveRL", "half wave rectifier, RL", "pre", RL(5.0, 20.0))
    yield half_wave("HalfWaveRC", "peak rectifier, C right behind the diode", "s", RC(100.0, 0.3))
    yield half_wave("HalfWaveRCPre", "peak rectifier with Ron", "pre", RC(50.0, 0.5), ron=1.0)
    yield half_wave("HalfWaveLC", "half wave rectifier, LC filter", "s", LC(30.0, 0.5, 40.0))
    yield half_wave("HalfWaveFreewheel", "half wave rectifier with a freewheeling diode", "s", lambda net: RL(5.0, 30.0)(net.D("D2", 0, 2)))
    yield half_wave("HalfWaveFreewheelOverlap", "freewheeling diode and source inductance: both conduct for a while", "pre",
                    lambda net: RL(5.0, 40.0)(net.D("D2", 0, 2)), source=4.0)
    yield bridge("BridgeR", "full bridge, R", "s", R_load(10.0), watch=["iR"])
    yield bridge("BridgeRL", "full bridge, RL", "s", RL(5.0, 30.0), watch=["iV"])
    yield bridge("BridgeRLPre", "full bridge, RL", "pre", RL(8.0, 40.0), stop=30.0)
    yield bridge("BridgeRC", "full bridge with source resistance, C filter", "s", RC(100.0, 0.47), source=resistive(0.5))
    yield bridge("BridgeLsRC", "full bridge with source inductance, C filter", "pre", RC(60.0, 1.0), source=inductive(3.0))
    yield bridge("BridgeLosses", "full bridge with Ron, LC filter", "pre", LC(20.0, 1.0, 20.0), ron=0.1)
    yield bridge("ChargerBridge", "battery charged through a full bridge", "s", battery(2.0, 60.0), watch=["iR", "iV"])
    yield centre_tap("CentreTapRL", "centre tap, RL", "pre", RL(5.0, 30.0))
    yield centre_tap("CentreTapRC", "centre tap, C filter, Ron", "s", RC(80.0, 0.4), ron=0.5)
    yield doubler("DoublerDelon", "s")
    yield cascade("Cascade2", "s", 2, 0.2)
    yield cascade("Cascade3Pre", "pre", 3, 0.5)
    yield pulses("ThreePulseRL", "three-pulse rectifier, RL", "s", RL(4.0, 30.0), six=False)
    yield pulses("SixPulseRL", "six-pulse bridge, ideal sources, RL", "s", RL(4.0, 20.0), six=True)
    yield pulses("SixPulseOverlap", "six-pulse bridge with source inductances", "pre", RL(4.0, 20.0), six=True, source=1.0, stop=30.0)
    yield pulses("SixPulseLossesRC", "six-pulse bridge with Ron, C filter", "pre", RC(30.0, 0.3), six=True, ron=0.2)
    yield mains("ThyristorRL", "phase control of an RL load", 65.0, "s", ["iQ"]).sine("V", 1, 0, 100.0, MAINS).Th("Q", 1, 2, window(20.0, 3.3, 4.3)).L("L", 2, 3, 30.0).R("R", 3, 0, 10.0)
    yield (mains("ThyristorPair", "two antiparallel thyristors, RL load", 50.0, "s").sine("V", 1, 0, 100.0, MAINS).Th("Q", 1, 2, window(20.0, 5.0, 6.0))
           .Th("P", 2, 1, window(20.0, 15.0, 16.0)).L("L", 2, 3, 20.0).R("R", 3, 0, 10.0))
    yield (mains("ThyristorBridge", "half controlled bridge with freewheeling diode, RL", 50.0, "s").sine("V", 1, 9, 100.0, MAINS)
           .Th("Q1", 1, 2, window(20.0, 3.0, 5.0)).Th("Q2", 9, 2, window(20.0, 13.0, 15.0)).D("D3", 0, 1).D("D4", 0, 9).D("D5", 0, 2)
           .L("L", 2, 3, 40.0).R("R", 3, 0, 5.0))
    yield (mains("ThyristorBridgeFull", "fully controlled bridge with source resistance, RL", 50.0, "s").sine("V", "s", 9, 100.0, MAINS).R("Rs", "s", 1, 0.2)
           .Th("Q1", 1, 2, window(20.0, 3.0, 5.0)).Th("Q4", 0, 9, window(20.0, 3.0, 5.0)).Th("Q2", 9, 2, window(20.0, 13.0, 15.0))
           .Th("Q3", 0, 1, window(20.0, 13.0, 15.0)).L("L", 2, 3, 15.0).R("R", 3, 0, 8.0))
    yield pulses("ThyristorThreePulse", "controlled three-pulse rectifier, RL", "s", RL(5.0, 20.0), six=False, thyristors=0.7)
    yield (mains("ClampTwoSided", "a sine clipped by two diodes on batteries", 45.0, "s", ["v2"]).sine("V", 1, 0, 100.0, MAINS).R("Rs", 1, 2, 10.0)
           .D("D1", 2, 3).dc("B1", 3, 0, 60.0).D("D2", 4, 2).dc("B2", 4, 0, -40.0).C("C", 2, 0, 0.05))
    yield (mains("ClampCapacitor", "diode clamp: shifts a sine above zero", 65.0, "pre", ["v2"]).sine("V", "s", 0, 100.0, MAINS).R("Rs", "s", 1, 1.0)
           .C("C", 1, 2, 0.2).D("D1", 0, 2).R("R", 2, 0, 500.0))
    yield (converter("SnubberRCD", "a switch cuts an inductive load; an RCD snubber takes the current", 6.0, "s").dc("V", 1, 0, 1.0).R("R", 1, 2, 1.0)
           .L("L", 2, 3, 2.0).S("S", 3, 0, pulse(2.0, 0.6)).D("D1", 3, 4).C("C", 4, 0, 0.3).R("Rd", 4, 1, 0.8))
    yield (converter("SnubberRC", "a switch with an RC snubber", 6.0, "s").dc("V", 1, 0, 1.0).R("R", 1, 2, 1.0).L("L", 2, 3, 2.0)
           .S("S", 3, 0, pulse(2.0, 0.6)).R("Rs", 3, 4, 0.5).C("C", 4, 0, 0.2))
    yield (mains("ChargerHalfWave", "battery charged through a diode with an inductance", 50.0, "pre", ["iD1"]).sine("V", 1, 0, 100.0, MAINS).D("D1", 1, 2)
           .L("L", 2, 3, 10.0).R("R", 3, 4, 1.0).dc("B", 4, 0, 55.0))
    yield (mains("ResonantCharger", "a capacitor charged once over an inductance: the diode keeps the double voltage", 20.0, "s").dc("V", 1, 0, 100.0)
           .S("S", 1, 2, after(2.0)).D("D1", 2, 3).L("L", 3, 4, 4.0).C("C", 4, 0, 1.0))
    yield (mains("TwoDiodesSeries", "two diodes in series, C filter", 45.0, "pre").sine("V", "s", 0, 100.0, MAINS).R("Rs", "s", 1, 1.0)
           .D("D1", 1, 2).D("D2", 2, 3).C("C", 3, 0, 0.3).R("R", 3, 0, 100.0))

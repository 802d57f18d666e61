model WestinghouseRIMIS
  // Westinghouse with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  constant Integer N = 2;
  parameter Real V = 0.1;
  parameter Real S = 0.05;
  parameter Real L = 0.2;
  parameter Real K = 10000;
  parameter Real F1 = 0.001;
  parameter Real F2 = 0.0001;
  parameter Real Rho = 1.2;
  parameter Real P0 = 100000;
  // Variables
  Real 'Pb[1]';
  Real 'Pr[1]';
  Real 'Pt[1]';
  Real 'fb[1]';
  Real 'fv[1]';
  Real 'fcl[1]';
  Real 'fl[1]';
  Real 'fch[1]';
  Real 'ft[1]';
  Real 'b[1]';
  Real 'x[1]';
  Real 'Pb[2]';
  Real 'Pr[2]';
  Real 'Pt[2]';
  Real 'fb[2]';
  Real 'fv[2]';
  Real 'fcl[2]';
  Real 'fl[2]';
  Real 'fch[2]';
  Real 'ft[2]';
  Real 'b[2]';
  Real 'x[2]';
  Real 'Pb[3]';
  Real 'fb[3]';
  Boolean 'open[1]';
  Boolean 'open[2]';
  // Derivatives
  Real 'Pr[1]_p' "Pr[1]'";
  Real 'Pt[1]_p' "Pt[1]'";
  Real 'b[1]_p' "b[1]'";
  Real 'x[1]_p' "x[1]'";
  Real 'Pr[2]_p' "Pr[2]'";
  Real 'Pt[2]_p' "Pt[2]'";
  Real 'b[2]_p' "b[2]'";
  Real 'x[2]_p' "x[2]'";
  // Replicates
  Real 'Pr[1]_p_4' "Pr[1]' if open[1]";
  Real 'Pr[1]_p_7' "Pr[1]' if not open[1]";
  Real 'Pt[1]_p_4' "Pt[1]' if open[1]";
  Real 'Pt[1]_p_7' "Pt[1]' if not open[1]";
  Real 'fv[1]_4' "fv[1] if open[1]";
  Real 'fv[1]_5' "fv[1] if not open[1]";
  Real 'fcl[1]_4' "fcl[1] if open[1]";
  Real 'fcl[1]_6' "fcl[1] if not open[1]";
  Real 'fch[1]_4' "fch[1] if open[1]";
  Real 'fch[1]_7' "fch[1] if not open[1]";
  Real 'ft[1]_4' "ft[1] if open[1]";
  Real 'ft[1]_7' "ft[1] if not open[1]";
  Real 'b[1]_p_4' "b[1]' if open[1]";
  Real 'b[1]_p_7' "b[1]' if not open[1]";
  Real 'x[1]_p_4' "x[1]' if open[1]";
  Real 'x[1]_p_7' "x[1]' if not open[1]";
  Real 'Pr[2]_p_12' "Pr[2]' if open[2]";
  Real 'Pr[2]_p_13' "Pr[2]' if not open[2]";
  Real 'Pt[2]_p_12' "Pt[2]' if open[2]";
  Real 'Pt[2]_p_13' "Pt[2]' if not open[2]";
  Real 'fv[2]_9' "fv[2] if not open[2]";
  Real 'fv[2]_12' "fv[2] if open[2]";
  Real 'fcl[2]_11' "fcl[2] if not open[2]";
  Real 'fcl[2]_12' "fcl[2] if open[2]";
  Real 'fch[2]_12' "fch[2] if open[2]";
  Real 'fch[2]_13' "fch[2] if not open[2]";
  Real 'ft[2]_12' "ft[2] if open[2]";
  Real 'ft[2]_13' "ft[2] if not open[2]";
  Real 'b[2]_p_12' "b[2]' if open[2]";
  Real 'b[2]_p_13' "b[2]' if not open[2]";
  Real 'x[2]_p_12' "x[2]' if open[2]";
  Real 'x[2]_p_13' "x[2]' if not open[2]";
equation
  // Mode equations
  'open[1]' = pre('fv[1]') > 0;
  'open[2]' = pre('fv[2]') > 0;
  // Differential equations
  der('Pr[1]') = 'Pr[1]_p';
  der('Pt[1]') = 'Pt[1]_p';
  der('b[1]') = 'b[1]_p';
  der('x[1]') = 'x[1]_p';
  der('Pr[2]') = 'Pr[2]_p';
  der('Pt[2]') = 'Pt[2]_p';
  der('b[2]') = 'b[2]_p';
  der('x[2]') = 'x[2]_p';
  // Multiplexing
  'Pr[1]_p' = if 'open[1]' then 'Pr[1]_p_4' else 'Pr[1]_p_7';
  'Pt[1]_p' = if 'open[1]' then 'Pt[1]_p_4' else 'Pt[1]_p_7';
  'fv[1]' = if 'open[1]' then 'fv[1]_4' else 'fv[1]_5';
  'fcl[1]' = if 'open[1]' then 'fcl[1]_4' else 'fcl[1]_6';
  'fch[1]' = if 'open[1]' then 'fch[1]_4' else 'fch[1]_7';
  'ft[1]' = if 'open[1]' then 'ft[1]_4' else 'ft[1]_7';
  'b[1]_p' = if 'open[1]' then 'b[1]_p_4' else 'b[1]_p_7';
  'x[1]_p' = if 'open[1]' then 'x[1]_p_4' else 'x[1]_p_7';
  'Pr[2]_p' = if 'open[2]' then 'Pr[2]_p_12' else 'Pr[2]_p_13';
  'Pt[2]_p' = if 'open[2]' then 'Pt[2]_p_12' else 'Pt[2]_p_13';
  'fv[2]' = if 'open[2]' then 'fv[2]_12' else 'fv[2]_9';
  'fcl[2]' = if 'open[2]' then 'fcl[2]_12' else 'fcl[2]_11';
  'fch[2]' = if 'open[2]' then 'fch[2]_12' else 'fch[2]_13';
  'ft[2]' = if 'open[2]' then 'ft[2]_12' else 'ft[2]_13';
  'b[2]_p' = if 'open[2]' then 'b[2]_p_12' else 'b[2]_p_13';
  'x[2]_p' = if 'open[2]' then 'x[2]_p_12' else 'x[2]_p_13';
  // Block plug1 -> Pb[1]
  'Pb[1]' = 500000 - 75000*(1 + tanh(4*(time - 2)));
  // Block Pb[1] Pr[1] -- feb1[1] -> fb[1]
  'fb[1]' = F1*(('Pb[1]' - 'Pr[1]')/1000);
  // Block Pr[1] Pr[2] -- feb2[1] feb1[2] -> Pb[2] fb[2]
  'fb[2]' + F1*(('Pb[2]' - 'Pr[1]')/1000) = 0;
  'fb[2]' - F1*(('Pb[2]' - 'Pr[2]')/1000) = 0;
  // Block Pr[1] Pt[1] -- fel[1] -> fl[1]
  'fl[1]' = F2*(('Pt[1]' - 'Pr[1]')/1000);
  // Block open[1]: fb[1] fl[1] fb[2] -- me1[1] me2[1] mer[1] mepl[1] meph[1] pb[1]' px[1]' ve1[1]' -> Pr[1]' Pt[1]' fv[1] fcl[1] fch[1] ft[1] b[1]' x[1]'
  'fb[1]' - 'fb[2]' - 'fv[1]_4' - 'fcl[1]_4' + 'fl[1]' = 0;
  'fv[1]_4' - 'fch[1]_4' - 'fl[1]' - 'ft[1]_4' = 0;
  'ft[1]_4' = Rho*V*'Pt[1]_p_4'/P0;
  Rho*S*('x[1]_p_4'*'Pr[1]' + ('x[1]' - L)*'Pr[1]_p_4') + P0*'fcl[1]_4' = 0;
  Rho*S*('x[1]_p_4'*'Pt[1]' + 'x[1]'*'Pt[1]_p_4') - P0*'fch[1]_4' = 0;
  S*('Pt[1]_p_4' - 'Pr[1]_p_4') = 'b[1]_p_4';
  'b[1]_p_4' = K*'x[1]_p_4';
  'Pr[1]_p_4' = 'Pt[1]_p_4';
  // Block not open[1]: ve2[1] -> fv[1]
  'fv[1]_5' = 0;
  // Block not open[1]: fb[1] fv[1] fl[1] fb[2] -- me1[1] -> fcl[1]
  'fcl[1]_6' = 'fb[1]' - 'fb[2]' - 'fv[1]_5' + 'fl[1]';
  // Block not open[1]: fv[1] fcl[1] fl[1] -- me2[1] mer[1] mepl[1] meph[1] pb[1]' px[1]' -> Pr[1]' Pt[1]' fch[1] ft[1] b[1]' x[1]'
  'fv[1]_5' - 'fch[1]_7' - 'fl[1]' - 'ft[1]_7' = 0;
  'ft[1]_7' = Rho*V*'Pt[1]_p_7'/P0;
  Rho*S*('x[1]_p_7'*'Pr[1]' + ('x[1]' - L)*'Pr[1]_p_7') + P0*'fcl[1]_6' = 0;
  Rho*S*('x[1]_p_7'*'Pt[1]' + 'x[1]'*'Pt[1]_p_7') - P0*'fch[1]_7' = 0;
  S*('Pt[1]_p_7' - 'Pr[1]_p_7') = 'b[1]_p_7';
  'b[1]_p_7' = K*'x[1]_p_7';
  // Block Pr[2] Pt[2] -- fel[2] -> fl[2]
  'fl[2]' = F2*(('Pt[2]' - 'Pr[2]')/1000);
  // Block not open[2]: ve2[2] -> fv[2]
  'fv[2]_9' = 0;
  // Block plug2 -> fb[3]
  'fb[3]' = 0;
  // Block not open[2]: fb[2] fv[2] fl[2] fb[3] -- me1[2] -> fcl[2]
  'fcl[2]_11' = 'fb[2]' - 'fb[3]' - 'fv[2]_9' + 'fl[2]';
  // Block open[2]: fb[2] fl[2] fb[3] -- me1[2] me2[2] mer[2] mepl[2] meph[2] pb[2]' px[2]' ve1[2]' -> Pr[2]' Pt[2]' fv[2] fcl[2] fch[2] ft[2] b[2]' x[2]'
  'fb[2]' - 'fb[3]' - 'fv[2]_12' - 'fcl[2]_12' + 'fl[2]' = 0;
  'fv[2]_12' - 'fch[2]_12' - 'fl[2]' - 'ft[2]_12' = 0;
  'ft[2]_12' = Rho*V*'Pt[2]_p_12'/P0;
  Rho*S*('x[2]_p_12'*'Pr[2]' + ('x[2]' - L)*'Pr[2]_p_12') + P0*'fcl[2]_12' = 0;
  Rho*S*('x[2]_p_12'*'Pt[2]' + 'x[2]'*'Pt[2]_p_12') - P0*'fch[2]_12' = 0;
  S*('Pt[2]_p_12' - 'Pr[2]_p_12') = 'b[2]_p_12';
  'b[2]_p_12' = K*'x[2]_p_12';
  'Pr[2]_p_12' = 'Pt[2]_p_12';
  // Block not open[2]: fv[2] fcl[2] fl[2] -- me2[2] mer[2] mepl[2] meph[2] pb[2]' px[2]' -> Pr[2]' Pt[2]' fch[2] ft[2] b[2]' x[2]'
  'fv[2]_9' - 'fch[2]_13' - 'fl[2]' - 'ft[2]_13' = 0;
  'ft[2]_13' = Rho*V*'Pt[2]_p_13'/P0;
  Rho*S*('x[2]_p_13'*'Pr[2]' + ('x[2]' - L)*'Pr[2]_p_13') + P0*'fcl[2]_11' = 0;
  Rho*S*('x[2]_p_13'*'Pt[2]' + 'x[2]'*'Pt[2]_p_13') - P0*'fch[2]_13' = 0;
  S*('Pt[2]_p_13' - 'Pr[2]_p_13') = 'b[2]_p_13';
  'b[2]_p_13' = K*'x[2]_p_13';
  // Block Pr[2] fb[3] -- feb2[2] -> Pb[3]
  'fb[3]' + F1*(('Pb[3]' - 'Pr[2]')/1000) = 0;
  // Reinitialisations
  when 'open[1]' then
    reinit('Pr[1]', (Rho*S*(pre('x[1]') - L)*pre('Pr[1]') + Rho*S*pre('Pr[1]')*pre('x[1]') - P0*(Rho*V/P0*pre('Pt[1]')))/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0)) + P0/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0))/(Rho*S*pre('x[1]')/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0))*P0 - P0)*(Rho*S*pre('x[1]')*pre('Pt[1]') + Rho*S*pre('Pt[1]')*pre('x[1]') - Rho*S*pre('x[1]')/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0))*(Rho*S*(pre('x[1]') - L)*pre('Pr[1]') + Rho*S*pre('Pr[1]')*pre('x[1]') - P0*(Rho*V/P0*pre('Pt[1]')))));
    reinit('Pt[1]', (Rho*S*(pre('x[1]') - L)*pre('Pr[1]') + Rho*S*pre('Pr[1]')*pre('x[1]') - P0*(Rho*V/P0*pre('Pt[1]')) + P0/(Rho*S*pre('x[1]')/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0))*P0 - P0)*(Rho*S*pre('x[1]')*pre('Pt[1]') + Rho*S*pre('Pt[1]')*pre('x[1]') - Rho*S*pre('x[1]')/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0))*(Rho*S*(pre('x[1]') - L)*pre('Pr[1]') + Rho*S*pre('Pr[1]')*pre('x[1]') - P0*(Rho*V/P0*pre('Pt[1]')))))/(Rho*S*(pre('x[1]') - L) - P0*(Rho*V/P0)));
    reinit('b[1]', 0);
    reinit('x[1]', 0);
  end when;
  when 'open[2]' then
    reinit('Pr[2]', (Rho*S*(pre('x[2]') - L)*pre('Pr[2]') + Rho*S*pre('Pr[2]')*pre('x[2]') - P0*(Rho*V/P0*pre('Pt[2]')))/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0)) + P0/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0))/(Rho*S*pre('x[2]')/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0))*P0 - P0)*(Rho*S*pre('x[2]')*pre('Pt[2]') + Rho*S*pre('Pt[2]')*pre('x[2]') - Rho*S*pre('x[2]')/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0))*(Rho*S*(pre('x[2]') - L)*pre('Pr[2]') + Rho*S*pre('Pr[2]')*pre('x[2]') - P0*(Rho*V/P0*pre('Pt[2]')))));
    reinit('Pt[2]', (Rho*S*(pre('x[2]') - L)*pre('Pr[2]') + Rho*S*pre('Pr[2]')*pre('x[2]') - P0*(Rho*V/P0*pre('Pt[2]')) + P0/(Rho*S*pre('x[2]')/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0))*P0 - P0)*(Rho*S*pre('x[2]')*pre('Pt[2]') + Rho*S*pre('Pt[2]')*pre('x[2]') - Rho*S*pre('x[2]')/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0))*(Rho*S*(pre('x[2]') - L)*pre('Pr[2]') + Rho*S*pre('Pr[2]')*pre('x[2]') - P0*(Rho*V/P0*pre('Pt[2]')))))/(Rho*S*(pre('x[2]') - L) - P0*(Rho*V/P0)));
    reinit('b[2]', 0);
    reinit('x[2]', 0);
  end when;
end WestinghouseRIMIS;

// Robertson: equations, parameters and start values of the Test Set for IVP Solvers (F. Mazzia, C. Magherini,
// F. Iavernaro, University of Bari); written anew in Modelica.
// start: y1=1 y2=0 y3=0
model RobertsonDAE "IVP test set: Robertson, index-1 DAE form, t in [0,1e11]"
  Real y1(start=1,fixed=true), y2(start=0,fixed=true), y3(start=0);
equation
  der(y1) = -0.04*y1 + 1e4*y2*y3;
  der(y2) = 0.04*y1 - 1e4*y2*y3 - 3e7*y2^2;
  0 = y1 + y2 + y3 - 1;
end RobertsonDAE;

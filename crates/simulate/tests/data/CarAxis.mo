// Car axis: equations, parameters and start values of the Test Set for IVP Solvers (F. Mazzia, C. Magherini,
// F. Iavernaro, University of Bari); written anew in Modelica.
// start: xl=0 yl=0.5 xr=1 yr=0.5 vxl=-0.5 vyl=0 vxr=-0.5 vyr=0 lam1=0 lam2=0
model CarAxis "IVP test set: car axis, index-3 DAE, t in [0,3]"
  parameter Real M=10, eps=1e-2, L=1, L0=0.5, r=0.1, w=10, g=1;
  parameter Real k=M*eps^2/2;
  Real xl(start=0), yl(start=0.5,fixed=true), xr(start=1), yr(start=0.5,fixed=true);
  Real vxl(start=-0.5), vyl(start=0,fixed=true), vxr(start=-0.5), vyr(start=0,fixed=true), lam1(start=0), lam2(start=0);
  Real xb, yb, Ll, Lr;
equation
  yb = r*sin(w*time);
  xb = sqrt(L^2 - yb^2);
  Ll = sqrt(xl^2 + yl^2);
  Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
  der(xl) = vxl;
  der(yl) = vyl;
  der(xr) = vxr;
  der(yr) = vyr;
  k*der(vxl) = (L0 - Ll)*xl/Ll + lam1*xb + 2*lam2*(xl - xr);
  k*der(vyl) = (L0 - Ll)*yl/Ll + lam1*yb + 2*lam2*(yl - yr) - k*g;
  k*der(vxr) = (L0 - Lr)*(xr - xb)/Lr - 2*lam2*(xl - xr);
  k*der(vyr) = (L0 - Lr)*(yr - yb)/Lr - 2*lam2*(yl - yr) - k*g;
  0 = xb*xl + yb*yl;
  0 = (xl - xr)^2 + (yl - yr)^2 - L^2;
end CarAxis;

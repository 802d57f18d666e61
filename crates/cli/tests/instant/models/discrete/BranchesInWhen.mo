model BranchesInWhen "different branches of an if inside a clause reinit the same state"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  tau*der(x) = u;
  when sample(tau, tau) then
    n = pre(n) + 1;
    if pre(n) == 1 then
      reinit(x, -u);
    else
      reinit(x, 0.5*x);
    end if;
  end when;
end BranchesInWhen;

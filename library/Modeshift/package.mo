package Modeshift "Ideal elements whose equations change during a run"
  annotation (Documentation(info = "Elements that switch, break, stick and stop. Those that change are state machines of components, drawn with
transition, and are connected like any other. Every element has an example in Modeshift.Examples.
Nothing is approximated: an open switch carries no current, a closed one has no voltage, and where a change makes
something jump or impulsive, that is what a run shows."));
end Modeshift;

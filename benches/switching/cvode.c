/* Switched systems written by hand for SUNDIALS CVODE, version 6 or later, with its root finder: the yardstick of
 * benches/switching.rs.
 *
 * cvode SYSTEM TOLERANCE STOP prints the processor time of a run in seconds, the number of events, and the states at the
 * end. Backward differentiation and Newton iteration; full matrices, of a thousand states the diagonal only. At an event
 * that changes the right side the integration begins anew, as it must.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#define MANY 1000
#define PLANT 20

typedef struct {
  const char *name;
  int states, roots, is_diagonal;
  int (*slopes)(realtype, N_Vector, N_Vector, void *);
  int (*guards)(realtype, N_Vector, realtype *, void *);
  void (*start)(realtype *x);
  /* When something is due after a time; HUGE_VAL where nothing is. */
  realtype (*due)(realtype t);
  /* What happens at a time that is due, or where guards crossed; roots is null for the former. */
  void (*event)(realtype t, realtype *x, const int *roots);
} System;

static int mode;
static long ticks;
static realtype held;
static int on[MANY];

/* Converters with one switch and one diode: mode 0 the switch conducts, 1 the diode, 2 none. */

static realtype Vin, L, C, Rload, D, T;

static realtype pulse_due(realtype t) {
  return ticks % 2 == 0 ? (ticks / 2 + D) * T : (ticks / 2 + 1) * T;
}

static void converter_event(realtype t, realtype *x, const int *roots) {
  if (roots) {
    mode = 2;
    x[0] = 0.0;
  } else {
    ticks++;
    mode = ticks % 2 == 0 ? 0 : x[0] > 0.0 ? 1 : 2;
  }
}

static int converter_guards(realtype t, N_Vector y, realtype *g, void *data) {
  g[0] = mode == 1 ? N_VGetArrayPointer(y)[0] : 1.0;
  return 0;
}

static int boost(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = mode == 0 ? Vin / L : mode == 1 ? (Vin - x[1]) / L : 0.0;
  dx[1] = ((mode == 1 ? x[0] : 0.0) - x[1] / Rload) / C;
  return 0;
}

static int buck(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = mode == 0 ? (Vin - x[1]) / L : mode == 1 ? -x[1] / L : 0.0;
  dx[1] = (x[0] - x[1] / Rload) / C;
  return 0;
}

static void converter(realtype *x, realtype current, realtype voltage, realtype load) {
  Vin = 5.0, L = 1e-3, C = 1e-4, Rload = load, D = 0.5, T = 1e-4;
  mode = 0, ticks = 0, x[0] = current, x[1] = voltage;
}

static void boost_continuous(realtype *x) { converter(x, 0.275, 10.0, 50.0); }
static void boost_discontinuous(realtype *x) { converter(x, 0.0, 20.0, 2000.0); }
static void buck_continuous(realtype *x) { converter(x, 0.4, 2.5, 5.0); }

/* Bridges of legs with two switches each, and a diode beside each: gates of a share of the period, the lower ones half a period
 * after the upper ones. What a leg gives while none is closed follows from the current, which goes through a diode. */

#define DC 100.0
#define PERIOD 1e-2
#define GATE 0.48

static int legs;
static realtype level[3];

static realtype edge(int leg, int number) {
  static const realtype edges[] = {0.0, GATE, 0.5, 0.5 + GATE};
  return edges[number] + leg / (realtype)legs;
}

/* The next edge of any gate: the ticks count edges of all legs, in the order of time. */
static realtype bridge_due(realtype t) {
  realtype now = t / PERIOD + 1e-9, next = HUGE_VAL;
  for (int leg = 0; leg < legs; leg++)
    for (int number = 0; number < 4; number++) {
      realtype first = edge(leg, number), turns = floor(now - first) + 1.0;
      next = fmin(next, first + turns);
    }
  return next * PERIOD;
}

static realtype leg_current(const realtype *x, int leg) {
  if (legs == 2) return leg == 0 ? x[0] : -x[0];
  return x[leg] - x[(leg + 2) % 3];
}

static void bridge_event(realtype t, realtype *x, const int *roots) {
  for (int leg = 0; leg < legs; leg++) {
    realtype now = t / PERIOD + 1e-9 - leg / (realtype)legs, share = now - floor(now);
    if (share < GATE) level[leg] = DC;
    else if (share >= 0.5 && share < 0.5 + GATE) level[leg] = 0.0;
    else level[leg] = leg_current(x, leg) > 0.0 ? 0.0 : DC;
  }
}

static int bridge_guards(realtype t, N_Vector y, realtype *g, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  for (int leg = 0; leg < legs; leg++) {
    realtype now = t / PERIOD - leg / (realtype)legs, share = now - floor(now);
    int is_open = (share >= GATE && share < 0.5) || share >= 0.5 + GATE;
    g[leg] = is_open ? (level[leg] == 0.0 ? 1.0 : -1.0) * leg_current(x, leg) : 1.0;
  }
  return 0;
}

static int bridge(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  if (legs == 2) {
    dx[0] = (level[0] - level[1] - 5.0 * x[0]) / 1e-2;
    return 0;
  }
  for (int k = 0; k < 3; k++) dx[k] = (level[k] - level[(k + 1) % 3] - 5.0 * x[k]) / 1e-2;
  return 0;
}

static void bridge_start(realtype *x) { legs = 2, x[0] = -5.0, bridge_event(0.0, x, NULL); }
static void inverter_start(realtype *x) {
  legs = 3, x[0] = 0.0, x[1] = -10.0, x[2] = 10.0;
  bridge_event(0.0, x, NULL);
}

/* A sampled controller of an oscillator. */

static int sampled(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = x[1];
  dx[1] = -x[0] - 0.2 * x[1] + held;
  return 0;
}

static realtype sample_due(realtype t) { return (ticks + 1) * 0.1; }

static void sampled_event(realtype t, realtype *x, const int *roots) {
  ticks++;
  held = -0.5 * x[0] - 0.8 * x[1] + 0.1 * held + 1.0;
}

static void sampled_start(realtype *x) { ticks = 0, held = 0.0, x[0] = 1.0, x[1] = 0.0; }

/* A ball with quadratic drag on a racket that returns what it has lost. */

static int ball(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = x[1];
  dx[1] = -9.81 - 0.1 * x[1] * fabs(x[1]);
  return 0;
}

static int ball_guards(realtype t, N_Vector y, realtype *g, void *data) {
  g[0] = N_VGetArrayPointer(y)[0];
  return 0;
}

static void ball_event(realtype t, realtype *x, const int *roots) { x[0] = 0.0, x[1] = 1.0 - 0.8 * x[1]; }
static void ball_start(realtype *x) { x[0] = 1.0, x[1] = 0.0; }

/* A relay with hysteresis on a chain of 20 lags. */

static int plant(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = 20.0 * ((on[0] ? 1.0 : -1.0) - x[0]);
  for (int k = 1; k < PLANT; k++) dx[k] = 20.0 * (x[k - 1] - x[k]);
  return 0;
}

static int plant_guards(realtype t, N_Vector y, realtype *g, void *data) {
  realtype last = N_VGetArrayPointer(y)[PLANT - 1];
  g[0] = on[0] ? 0.1 - last : last + 0.1;
  return 0;
}

static void plant_event(realtype t, realtype *x, const int *roots) { on[0] = !on[0]; }
static void plant_start(realtype *x) {
  memset(x, 0, PLANT * sizeof *x);
  on[0] = 1;
}

/* A thousand relays that know nothing of each other. */

static int relays(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  for (int k = 0; k < MANY; k++) dx[k] = (on[k] ? 1.0 : -1.0) * (1.0 + (k + 1) / (realtype)MANY) - 0.1 * x[k];
  return 0;
}

static int relays_guards(realtype t, N_Vector y, realtype *g, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  for (int k = 0; k < MANY; k++) g[k] = on[k] ? 1.0 - x[k] : x[k] + 1.0;
  return 0;
}

static void relays_event(realtype t, realtype *x, const int *roots) {
  for (int k = 0; k < MANY; k++)
    if (roots[k]) on[k] = !on[k];
}

static void relays_start(realtype *x) {
  memset(x, 0, MANY * sizeof *x);
  for (int k = 0; k < MANY; k++) on[k] = 1;
}

static const System systems[] = {
    {"boost", 2, 1, 0, boost, converter_guards, boost_continuous, pulse_due, converter_event},
    {"boost-discontinuous", 2, 1, 0, boost, converter_guards, boost_discontinuous, pulse_due, converter_event},
    {"buck", 2, 1, 0, buck, converter_guards, buck_continuous, pulse_due, converter_event},
    {"bridge", 1, 2, 0, bridge, bridge_guards, bridge_start, bridge_due, bridge_event},
    {"inverter", 3, 3, 0, bridge, bridge_guards, inverter_start, bridge_due, bridge_event},
    {"sampled", 2, 0, 0, sampled, NULL, sampled_start, sample_due, sampled_event},
    {"ball", 2, 1, 0, ball, ball_guards, ball_start, NULL, ball_event},
    {"plant", PLANT, 1, 0, plant, plant_guards, plant_start, NULL, plant_event},
    {"relays", MANY, MANY, 1, relays, relays_guards, relays_start, NULL, relays_event},
};

static void check(int flag, const char *what) {
  if (flag < 0) {
    fprintf(stderr, "%s: %d\n", what, flag);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const System *system = NULL;
  for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
    if (!strcmp(systems[k].name, argv[1])) system = &systems[k];
  if (!system) return 2;
  realtype tolerance = atof(argv[2]), stop = atof(argv[3]), t = 0.0;
  SUNContext context;
  check(SUNContext_Create(NULL, &context), "context");
  clock_t begin = clock();
  N_Vector y = N_VNew_Serial(system->states, context);
  realtype *x = N_VGetArrayPointer(y);
  system->start(x);
  void *cvode = CVodeCreate(CV_BDF, context);
  check(CVodeInit(cvode, system->slopes, t, y), "init");
  check(CVodeSStolerances(cvode, tolerance, tolerance), "tolerances");
  SUNMatrix matrix = system->is_diagonal ? SUNBandMatrix(system->states, 0, 0, context)
                                         : SUNDenseMatrix(system->states, system->states, context);
  SUNLinearSolver solver =
      system->is_diagonal ? SUNLinSol_Band(y, matrix, context) : SUNLinSol_Dense(y, matrix, context);
  check(CVodeSetLinearSolver(cvode, solver, matrix), "solver");
  check(CVodeSetMaxNumSteps(cvode, 100000000), "steps");
  int *crossed = calloc(system->roots ? system->roots : 1, sizeof *crossed), *direction = calloc(system->roots ? system->roots : 1, sizeof *direction);
  if (system->roots) {
    check(CVodeRootInit(cvode, system->roots, system->guards), "roots");
    for (int k = 0; k < system->roots; k++) direction[k] = -1;
    check(CVodeSetRootDirection(cvode, direction), "direction");
    CVodeSetNoInactiveRootWarn(cvode);
  }
  long events = 0;
  while (t < stop) {
    realtype due = system->due ? fmin(system->due(t), stop) : stop;
    check(CVodeSetStopTime(cvode, due), "stop time");
    int flag = CVode(cvode, due, y, &t, CV_NORMAL);
    check(flag, "step");
    if (flag == CV_ROOT_RETURN) {
      check(CVodeGetRootInfo(cvode, crossed), "root");
      system->event(t, x, crossed);
    } else if (system->due && t < stop) {
      system->event(t, x, NULL);
    } else {
      continue;
    }
    events++;
    check(CVodeReInit(cvode, t, y), "new beginning");
  }
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  printf("%.17g %ld", seconds, events);
  for (int k = 0; k < system->states; k++) printf(" %.17g", x[k]);
  printf("\n");
  return 0;
}

/* Three systems written by hand for SUNDIALS CVODE, version 6 or later: the yardstick of benches/integration.rs.
 *
 * cvode SYSTEM SOLVER TOLERANCE REPETITIONS prints the mean processor time of an integration in seconds, creation of the
 * solver included, the numbers of steps, evaluations and Jacobians, and the states at the end. SOLVER is dense, band or
 * klu. Backward differentiation, Newton iteration, analytic Jacobians.
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
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

/* van der Pol, stiffness 1000. */

static int van_der_pol(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  dx[0] = x[1];
  dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

static int van_der_pol_jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                                N_Vector c) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *entries = SUNDenseMatrix_Data(J);
  entries[0] = 0.0;
  entries[1] = -2000.0 * x[0] * x[1] - 1.0;
  entries[2] = 1.0;
  entries[3] = 1000.0 * (1.0 - x[0] * x[0]);
  return 0;
}

/* Transistor amplifier (IVP Test Set), reduced to its five states: voltages of the capacitors. The two voltages that
 * exponentials determine are found by Newton's method from the values of the evaluation before. */

#define UB 6.0
#define UF 0.026
#define ALPHA 0.99
#define BETA 1e-6
#define R0 1000.0
#define R 9000.0

static realtype base_voltage[2];

typedef struct {
  realtype voltage, current, slope, determinant;
} Base;

/* Solves `conductance * y + leak * beta*(exp((y - emitter)/UF) - 1) = drive`, all increasing in y. */
static int solve_base(realtype conductance, realtype drive, realtype emitter, realtype *guess, Base *base) {
  realtype y = *guess;
  for (int iteration = 0; iteration < 50; iteration++) {
    realtype e = BETA * exp((y - emitter) / UF);
    realtype residual = conductance * y + (1.0 - ALPHA) * (e - BETA) - drive;
    realtype slope = conductance + (1.0 - ALPHA) * e / UF;
    realtype step = residual / slope;
    y -= step;
    if (!isfinite(y)) return 1;
    if (fabs(step) <= 1e-14 * (1.0 + fabs(y))) {
      e = BETA * exp((y - emitter) / UF);
      base->voltage = y;
      base->current = e - BETA;
      base->slope = e / UF;
      base->determinant = conductance + (1.0 - ALPHA) * e / UF;
      *guess = y;
      return 0;
    }
  }
  return 1;
}

static int bases(realtype t, const realtype *x, Base *first, Base *second) {
  realtype input = 0.1 * sin(200.0 * 3.141592653589793 * t);
  return solve_base(1.0 / R0 + 2.0 / R, (input - x[0]) / R0 + UB / R, x[1], &base_voltage[0], first) ||
         solve_base(3.0 / R, 2.0 * UB / R - x[2] / R - ALPHA * first->current, x[3], &base_voltage[1], second);
}

static int amplifier(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  Base first, second;
  if (bases(t, x, &first, &second)) return 1;
  realtype input = 0.1 * sin(200.0 * 3.141592653589793 * t);
  realtype y4 = x[2] + second.voltage;
  realtype y8 = 0.5 * (UB - x[4] - R * ALPHA * second.current);
  dx[0] = (input - x[0] - first.voltage) / (R0 * 1e-6);
  dx[1] = (first.current - x[1] / R) / 2e-6;
  dx[2] = (UB / R - y4 / R - ALPHA * first.current) / 3e-6;
  dx[3] = (second.current - x[3] / R) / 4e-6;
  dx[4] = y8 / R / 5e-6;
  return 0;
}

static int amplifier_jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                              N_Vector c) {
  const realtype *x = N_VGetArrayPointer(y);
  Base first, second;
  if (bases(t, x, &first, &second)) return 1;
  realtype by[2][5] = {{0}}, current[2][5] = {{0}};
  by[0][0] = -1.0 / R0 / first.determinant;
  by[0][1] = (1.0 - ALPHA) * first.slope / first.determinant;
  for (int k = 0; k < 5; k++) current[0][k] = first.slope * (by[0][k] - (k == 1));
  for (int k = 0; k < 5; k++) {
    realtype drive = -(k == 2) / R - ALPHA * current[0][k];
    by[1][k] = (drive + (1.0 - ALPHA) * second.slope * (k == 3)) / second.determinant;
    current[1][k] = second.slope * (by[1][k] - (k == 3));
  }
  for (int k = 0; k < 5; k++) {
    SM_ELEMENT_D(J, 0, k) = (-(k == 0) - by[0][k]) / (R0 * 1e-6);
    SM_ELEMENT_D(J, 1, k) = (current[0][k] - (k == 1) / R) / 2e-6;
    SM_ELEMENT_D(J, 2, k) = (-((k == 2) + by[1][k]) / R - ALPHA * current[0][k]) / 3e-6;
    SM_ELEMENT_D(J, 3, k) = (current[1][k] - (k == 3) / R) / 4e-6;
    SM_ELEMENT_D(J, 4, k) = 0.5 * (-(k == 4) - R * ALPHA * current[1][k]) / R / 5e-6;
  }
  return 0;
}

/* Brusselator with diffusion along a line (Hairer and Wanner), two states per point, 2000 states. */

#define POINTS 1000
#define DIFFUSION (0.02 * (POINTS + 1.0) * (POINTS + 1.0))

static int brusselator(realtype t, N_Vector y, N_Vector dy, void *data) {
  const realtype *x = N_VGetArrayPointer(y);
  realtype *dx = N_VGetArrayPointer(dy);
  for (int i = 0; i < POINTS; i++) {
    realtype u = x[2 * i], v = x[2 * i + 1];
    realtype ul = i ? x[2 * i - 2] : 1.0, vl = i ? x[2 * i - 1] : 3.0;
    realtype ur = i + 1 < POINTS ? x[2 * i + 2] : 1.0, vr = i + 1 < POINTS ? x[2 * i + 3] : 3.0;
    realtype reaction = u * u * v;
    dx[2 * i] = 1.0 + reaction - 4.0 * u + DIFFUSION * (ul - 2.0 * u + ur);
    dx[2 * i + 1] = 3.0 * u - reaction + DIFFUSION * (vl - 2.0 * v + vr);
  }
  return 0;
}

static int brusselator_band(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                            N_Vector c) {
  const realtype *x = N_VGetArrayPointer(y);
  for (int i = 0; i < POINTS; i++) {
    realtype u = x[2 * i], v = x[2 * i + 1];
    int p = 2 * i, q = 2 * i + 1;
    SM_ELEMENT_B(J, p, p) = 2.0 * u * v - 4.0 - 2.0 * DIFFUSION;
    SM_ELEMENT_B(J, p, q) = u * u;
    SM_ELEMENT_B(J, q, p) = 3.0 - 2.0 * u * v;
    SM_ELEMENT_B(J, q, q) = -u * u - 2.0 * DIFFUSION;
    if (i) SM_ELEMENT_B(J, p, p - 2) = SM_ELEMENT_B(J, q, q - 2) = DIFFUSION;
    if (i + 1 < POINTS) SM_ELEMENT_B(J, p, p + 2) = SM_ELEMENT_B(J, q, q + 2) = DIFFUSION;
  }
  return 0;
}

static int brusselator_sparse(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                              N_Vector c) {
  const realtype *x = N_VGetArrayPointer(y);
  sunindextype *starts = SUNSparseMatrix_IndexPointers(J), *rows = SUNSparseMatrix_IndexValues(J);
  realtype *entries = SUNSparseMatrix_Data(J);
  int next = 0;
  for (int column = 0; column < 2 * POINTS; column++) {
    int i = column / 2, second = column % 2;
    realtype u = x[2 * i], v = x[2 * i + 1];
    starts[column] = next;
    if (i) rows[next] = column - 2, entries[next++] = DIFFUSION;
    rows[next] = 2 * i, entries[next++] = second ? u * u : 2.0 * u * v - 4.0 - 2.0 * DIFFUSION;
    rows[next] = 2 * i + 1, entries[next++] = second ? -u * u - 2.0 * DIFFUSION : 3.0 - 2.0 * u * v;
    if (i + 1 < POINTS) rows[next] = column + 2, entries[next++] = DIFFUSION;
  }
  starts[2 * POINTS] = next;
  return 0;
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv) {
  const char *system = argv[1], *solver = argv[2];
  double tolerance = atof(argv[3]);
  int repetitions = atoi(argv[4]);
  int size = !strcmp(system, "van_der_pol") ? 2 : !strcmp(system, "amplifier") ? 5 : 2 * POINTS;
  double stop = size == 2 ? 2000.0 : size == 5 ? 0.2 : 10.0;
  CVRhsFn derivative = size == 2 ? van_der_pol : size == 5 ? amplifier : brusselator;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial(size, context);
  double total = 0.0;
  long steps = 0, evaluations = 0, jacobians = 0;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    realtype *x = N_VGetArrayPointer(y);
    if (size == 2) {
      x[0] = 2.0, x[1] = 0.0;
    } else if (size == 5) {
      x[0] = -3.0, x[1] = 3.0, x[2] = 3.0, x[3] = 3.0, x[4] = 6.0;
      base_voltage[0] = base_voltage[1] = 3.0;
    } else {
      for (int i = 0; i < POINTS; i++) {
        x[2 * i] = 1.0 + sin(2.0 * 3.141592653589793 * (i + 1.0) / (POINTS + 1.0));
        x[2 * i + 1] = 3.0;
      }
    }
    double start = seconds();
    void *memory = CVodeCreate(CV_BDF, context);
    CVodeInit(memory, derivative, 0.0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetMaxNumSteps(memory, 10000000);
    SUNMatrix matrix;
    SUNLinearSolver linear;
    CVLsJacFn jacobian;
    if (!strcmp(solver, "dense")) {
      matrix = SUNDenseMatrix(size, size, context);
      linear = SUNLinSol_Dense(y, matrix, context);
      jacobian = size == 2 ? van_der_pol_jacobian : amplifier_jacobian;
    } else if (!strcmp(solver, "band")) {
      matrix = SUNBandMatrix(size, 2, 2, context);
      linear = SUNLinSol_Band(y, matrix, context);
      jacobian = brusselator_band;
    } else {
      matrix = SUNSparseMatrix(size, size, 4 * size, CSC_MAT, context);
      linear = SUNLinSol_KLU(y, matrix, context);
      jacobian = brusselator_sparse;
    }
    CVodeSetLinearSolver(memory, linear, matrix);
    CVodeSetJacFn(memory, jacobian);
    CVodeSetStopTime(memory, stop);
    realtype time = 0.0;
    int status = CVode(memory, stop, y, &time, CV_NORMAL);
    double taken = seconds() - start;
    if (status < 0) return 1;
    total += taken;
    CVodeGetNumSteps(memory, &steps);
    CVodeGetNumRhsEvals(memory, &evaluations);
    CVodeGetNumJacEvals(memory, &jacobians);
    CVodeFree(&memory);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
  }
  printf("%.9e %ld %ld %ld\n", total / repetitions, steps, evaluations, jacobians);
  for (int i = 0; i < size; i++) printf("%.17e\n", N_VGetArrayPointer(y)[i]);
  return 0;
}

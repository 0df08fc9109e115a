/**
 * The factor of all timeouts. Without it they fit a machine that does nothing else. Tests run beside other work (a
 * cluster most of all), and a long timeout costs nothing unless a test fails.
 */
export const patience = 10

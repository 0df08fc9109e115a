/**
 * How many times longer than on a machine of its own a thing may take before it counts as not coming: only a failure takes
 * that long. A cluster shares the machine with browser and back end.
 */
export const patience = process.env['PIQL_E2E_STORE'] ? 6 : 3

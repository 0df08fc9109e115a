/**
 * How many times longer than on a machine of its own a thing may take before it counts as not coming: only a failure takes
 * that long. Whatever else runs beside browser and back end has its share of the machine, a cluster most of all.
 */
export const patience = 10

/** How many times longer things may take: on a cluster, which shares the machine with browser and back end, four times. */
export const patience = process.env['PIQL_E2E_STORE'] ? 4 : 1

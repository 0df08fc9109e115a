/** What queries cost, by the sheet of prices of the environment: those of the editor, and those of a version. */
import { useQuery } from '@tanstack/react-query'
import { deployment, environments, priceReport } from '../api/queries'
import type { PriceReport, QueryPrice, SourceFile } from '../api/types'
import { planKey } from './predictions'
import { useShownAnswer } from './shown-compilation'
import { useEnvironment } from './url-state'

interface Prices {
  /** Undefined until the server has answered. */
  report: PriceReport | undefined
  byQuery: ReadonlyMap<string, QueryPrice>
}

const NO_RATES: Readonly<Record<string, number>> = {}
const NO_FILES: SourceFile[] = []

/** The prices of the queries in the editor, and $ a month at rates that are given in executions a second. */
export function usePrices(rates: Readonly<Record<string, number>> = NO_RATES): Prices {
  const { compilation, files } = useShownAnswer()
  const version = JSON.stringify((compilation?.queries ?? []).map((query) => [query.name, planKey(query)]))
  return usePricesOf(version, files, rates)
}

/** The prices of the queries of a version, once its texts were read. */
export function usePricesOfVersion(id: string | undefined): Prices {
  const environment = useEnvironment()
  const { data } = useQuery({ ...deployment(environment, id ?? ''), enabled: id !== undefined, staleTime: Infinity })
  return usePricesOf(`version ${id}`, data?.files ?? NO_FILES)
}

/** The prices of the queries of some texts; `version` names the texts: equal names have equal texts. */
export function usePricesOf(
  version: string,
  files: SourceFile[],
  rates: Readonly<Record<string, number>> = NO_RATES,
): Prices {
  const environment = useEnvironment()
  const { data: sheet } = useQuery({
    ...environments(environment.application),
    select: (all) => JSON.stringify(all.find(({ id }) => id === environment.environment)?.prices ?? null),
  })
  const { data: report } = useQuery({
    ...priceReport(environment, version, sheet ?? '', files, rates),
    enabled: sheet !== undefined && files.length > 0,
  })
  return { report, byQuery: new Map((report?.queries ?? []).map((price) => [price.query, price])) }
}

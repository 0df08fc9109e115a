/** The requests for saved sets of parameters; all sets of the application are read again after each change. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { allPages } from '../../api/pages'
import type { ParameterSet } from '../../api/types'
import type { ParameterValues } from '../../logic/run-history'

const SETS = '/api/applications/{application}/parameter-sets'

/** The saved sets of all queries of an application. */
export const parameterSets = (application: string) =>
  queryOptions({
    queryKey: ['parameter-sets', application],
    queryFn: ({ signal }) =>
      allPages((cursor) => answered(api.GET(SETS, { params: { path: { application }, query: { cursor } }, signal }))),
  })

/** Mutations of the sets of an application. A set that somebody else has changed meanwhile is refused. */
export function useParameterSetChange(application: string) {
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries(parameterSets(application))
  const create = useMutation({
    mutationFn: (body: { query: string; name: string; parameters: ParameterValues }) =>
      answered(api.POST(SETS, { params: { path: { application } }, body: withRecord(body) })),
    onSettled,
  })
  const save = useMutation({
    mutationFn: ({ set, parameters }: { set: ParameterSet; parameters: ParameterValues }) =>
      answered(
        api.PUT(`${SETS}/{set_id}`, {
          params: { path: { application, set_id: set.id } },
          body: withRecord({ name: set.name, parameters, base_revision: set.revision }),
        }),
      ),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: ({ id, revision }: ParameterSet) =>
      answered(
        api.DELETE(`${SETS}/{set_id}`, {
          params: { path: { application, set_id: id }, query: { base_revision: revision } },
        }),
      ),
    onSettled,
  })
  return { create, save, remove }
}

/** The same with parameters as a record that may be changed, which the types of the API ask for. */
function withRecord<T extends { parameters: ParameterValues }>(body: T) {
  return { ...body, parameters: { ...body.parameters } }
}

/** What changes the environments of an application; whoever lists them hears of it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { applications, environments } from '../../api/queries'
import type { EnvironmentCreate, EnvironmentUpdate } from '../../api/types'

const ONE = '/api/applications/{application}/environments/{environment}'

export function useEnvironmentChange(application: string) {
  const queryClient = useQueryClient()
  const onSuccess = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: applications.queryKey }),
      queryClient.invalidateQueries({ queryKey: environments(application).queryKey }),
    ])
  const add = useMutation({
    mutationFn: (body: EnvironmentCreate) =>
      answered(api.POST('/api/applications/{application}/environments', { params: { path: { application } }, body })),
    onSuccess,
  })
  const change = useMutation({
    mutationFn: ({ environment, body }: { environment: string; body: EnvironmentUpdate }) =>
      answered(api.PATCH(ONE, { params: { path: { application, environment } }, body })),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: ({ environment, deletes_data }: { environment: string; deletes_data: boolean }) =>
      answered(
        api.DELETE(ONE, {
          params: { path: { application, environment }, query: { name: environment, deletes_data } },
        }),
      ),
    onSuccess,
  })
  return { add, change, remove }
}

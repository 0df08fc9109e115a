/** The requests that rename, duplicate, archive and delete an application; the list is read again after each. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, api, messageOf } from '../../api/client'
import { applications } from '../../api/queries'
import { notify } from '../notices'

/**
 * Mutations of one application. `archive` takes false to bring it back; `remove` takes the id, typed as a confirmation.
 */
export function useApplicationChange(id: string) {
  const queryClient = useQueryClient()
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: applications.queryKey })
  const params = { path: { application: id } }
  const rename = useMutation({
    mutationFn: (title: string) => answered(api.PATCH('/api/applications/{application}', { params, body: { title } })),
    onSuccess,
  })
  const duplicate = useMutation({
    mutationFn: (title: string) =>
      answered(api.POST('/api/applications/{application}/duplicates', { params, body: { title } })),
    onSuccess,
  })
  const archive = useMutation({
    mutationFn: (is_archived: boolean) =>
      answered(api.PATCH('/api/applications/{application}', { params, body: { is_archived } })),
    onSuccess,
    onError: (error) => notify({ tone: 'danger', text: messageOf(error) }),
  })
  const remove = useMutation({
    mutationFn: (name: string) =>
      answered(api.DELETE('/api/applications/{application}', { params: { ...params, query: { name } } })),
    onSuccess,
  })
  return { rename, duplicate, archive, remove }
}

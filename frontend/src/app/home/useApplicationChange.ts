/** The requests that export, rename, duplicate, archive and delete an application; the list is read again after these. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, api, messageOf } from '../../api/client'
import { applications } from '../../api/queries'
import { clearRuns } from '../../logic/run-history'
import { browserStorage } from '../browser-storage'
import { saveFile } from '../export-tables'
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
    onSuccess: () => {
      clearRuns(browserStorage, id) // another application of this id is not to show them
      return onSuccess()
    },
  })
  const exported = useMutation({
    mutationFn: () =>
      answered(api.GET('/api/applications/{application}/archive', { params, parseAs: 'blob' })) as Promise<Blob>,
    onSuccess: (content) => saveFile(`${id}.zip`, content),
    onError: (error) => notify({ tone: 'danger', text: messageOf(error) }),
  })
  return { exported, rename, duplicate, archive, remove }
}

import { type MutationFunction, useMutation, useQueryClient } from '@tanstack/react-query'
import { keyOf } from '../../api/environment'
import { useEnvironment } from '../url-state'

/** A mutation after which all requests are read again, whether it succeeded or met something newer. */
export function useChange<Answer, Wish = void>(mutationFn: MutationFunction<Answer, Wish>, onDone?: () => void) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const readAgain = () => queryClient.invalidateQueries({ queryKey: keyOf('deploy-requests', environment) })
  return useMutation({
    mutationFn,
    onSuccess: () => {
      onDone?.()
      return readAgain()
    },
    // What was refused is said at once.
    onError: () => void readAgain(),
  })
}

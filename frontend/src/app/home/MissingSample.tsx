import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { answered, api, messageOf } from '../../api/client'
import { ENVIRONMENT, type EnvironmentName } from '../../api/environment'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Cell } from '../../ui/Table'
import { notify } from '../notices'
import styles from './home.module.css'

/** A cell in place of what is live: why the sample of an application could not be loaded, and a button that tries again. */
export function MissingSample({ environment, why }: { environment: EnvironmentName; why: string }) {
  const queryClient = useQueryClient()
  const subject = `sample of ${environment.application}/${environment.environment}`
  const attempt = useMutation({
    mutationFn: () => answered(api.POST(`${ENVIRONMENT}/sample/attempts`, { params: { path: environment } })),
    onSuccess: () => notify({ tone: 'success', subject, text: `The sample of ${environment.application} is loaded.` }),
    onError: (error) => notify({ tone: 'danger', subject, text: messageOf(error) }),
    onSettled: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[1] === environment.application && queryKey[2] === environment.environment,
      }),
  })
  return (
    <Cell colSpan={3} className={styles['why']}>
      <Badge tone="danger">no sample</Badge> {why}
      <div className={styles['attempt']}>
        <Button
          size="small"
          icon={<RotateCw size={13} aria-hidden />}
          disabled={attempt.isPending}
          onClick={() => attempt.mutate()}
        >
          {attempt.isPending ? 'Loading…' : 'Try again'}
        </Button>
      </div>
    </Cell>
  )
}

"""Which features say something about y that the others do not say?"""
